/// Names one resolution in progress; never used again for another.
public struct ResolveID: Sendable, Hashable {
  let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// Why a name has no address.
public struct ResolveError: Error, Sendable, Hashable, CustomStringConvertible {
  /// In words, with the name.
  public let description: String
  /// Whether another try may give an answer (the servers were silent or failed), as opposed to a name that does not exist.
  public let isTemporary: Bool

  public init(_ description: String, isTemporary: Bool) {
    self.description = description
    self.isTemporary = isTemporary
  }
}

/// Some of a host's addresses: those of one family, mostly, which come as the name servers answer.
public struct ResolvedPart: Sendable, Hashable {
  /// With port 0, in the order of the answer. May be empty in the last part.
  public var addresses: [SocketAddress]
  /// No more will come.
  public var isLast: Bool

  public init(_ addresses: [SocketAddress], isLast: Bool) {
    self.addresses = addresses
    self.isLast = isLast
  }
}

/// Turns host names into addresses without holding up the loop.
public protocol NameResolver: AnyObject, Sendable {
  /// Resolves `host` and tells `done` once, perhaps before this returns. The addresses carry port 0, in the order in which to try them.
  @LoopActor func resolve(_ host: String, _ done: @escaping @LoopActor (Result<[SocketAddress], ResolveError>) -> Void) -> ResolveID

  /// The same, telling what is known as it comes (RFC 8305 section 3): parts up to the last one, or a failure if there is no address at all.
  /// For resolvers that do not say otherwise, there is one part.
  @LoopActor func resolveParts(
    _ host: String, _ told: @escaping @LoopActor (Result<ResolvedPart, ResolveError>) -> Void
  ) -> ResolveID

  /// Forgets a resolution of either kind: nothing is told any more. An unknown id is no error.
  @LoopActor func cancel(_ id: ResolveID)

  /// Forgets what it remembers: the network of the machine has changed. Does nothing for resolvers that do not say otherwise.
  @LoopActor func flush()
}

extension NameResolver {
  @LoopActor public func flush() {}

  @LoopActor public func resolveParts(
    _ host: String, _ told: @escaping @LoopActor (Result<ResolvedPart, ResolveError>) -> Void
  ) -> ResolveID {
    resolve(host) { result in told(result.map { ResolvedPart($0, isLast: true) }) }
  }
}
