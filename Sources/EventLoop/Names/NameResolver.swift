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

/// Turns host names into addresses without holding up the loop.
public protocol NameResolver: AnyObject, Sendable {
  /// Resolves `host` and tells `done` once, perhaps before this returns. The addresses carry port 0, in the order in which to try them.
  @LoopActor func resolve(_ host: String, _ done: @escaping @LoopActor (Result<[SocketAddress], ResolveError>) -> Void) -> ResolveID

  /// Forgets a resolution: `done` is not called any more. An unknown id is no error.
  @LoopActor func cancel(_ id: ResolveID)
}
