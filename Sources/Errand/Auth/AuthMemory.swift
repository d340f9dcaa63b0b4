internal import EventLoop
internal import Hashing
internal import HttpWire

/// What servers and proxies wanted to know, so that the next request says it at once. Any thread.
final class AuthMemory: Sendable {
  /// Pairs of an origin and credentials that are remembered; the one that was not used for longest goes.
  static let maximumEntries = 1_024
  /// Protection spaces of one such pair.
  static let maximumScopes = 8
  /// Nonces of one such space that were replaced, and may yet come again in challenges that are on their way.
  static let maximumReplaced = 8

  private struct Key: Hashable {
    let space: AuthSpace
    let credentials: HttpCredentials
  }

  private struct Scope {
    /// nil for Basic, which is one for all realms.
    let realm: String?
    /// The directory that it was asked for in.
    var directory: String
    var choice: AuthChoice
    /// The last one at the end.
    var replaced: [DigestAuth] = []

    /// Goes on with another nonce, or with one that was used before.
    mutating func take(_ digest: DigestAuth) {
      if case .digest(let current) = choice { replaced.append(current) }
      var digest = digest
      replaced.removeAll { digest.goOn(from: $0) }
      replaced = replaced.suffix(AuthMemory.maximumReplaced)
      choice = .digest(digest)
    }
  }

  private struct Entry {
    /// The last used at the end.
    var scopes: [Scope] = []
    var lastUse: UInt64 = 0
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var uses: UInt64 = 0
  }

  private let state = Locked(State())

  /// Runs `use` with the answer to a challenge to `target`, and remembers it. Of a nonce that was used before, the uses go on to be counted.
  func learn<Result>(
    _ choice: AuthChoice, of space: AuthSpace, for credentials: HttpCredentials, target: String,
    _ use: (inout AuthChoice) -> Result
  ) -> Result {
    let realm: String? = if case .digest(let digest) = choice { digest.realm } else { nil }
    return state.withLock { state in
      let key = Key(space: space, credentials: credentials)
      if state.entries.count >= AuthMemory.maximumEntries, state.entries[key] == nil,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      var entry = state.entries[key] ?? Entry()
      var scope = Scope(realm: realm, directory: AuthMemory.directory(of: target), choice: choice)
      if let index = entry.scopes.firstIndex(where: { $0.realm == realm }) {
        let directory = scope.directory
        scope = entry.scopes.remove(at: index)
        scope.directory = AuthMemory.common(directory, scope.directory)
        if case .digest(let digest) = choice { scope.take(digest) }
      }
      let result = use(&scope.choice)
      if entry.scopes.count >= AuthMemory.maximumScopes { entry.scopes.removeFirst() }
      entry.scopes.append(scope)
      state.uses += 1
      entry.lastUse = state.uses
      state.entries[key] = entry
      return result
    }
  }

  /// Runs `use` with what is known for `target`, which it may count up; nil if nothing is.
  ///
  /// Basic holds in the directory that it was asked for in and below (RFC 7617 section 2.2), Digest everywhere at its origin (RFC 7616 section 3.3,
  /// where `domain` is absent); of several the one that was asked for nearest counts, then the last used.
  func recall<Result>(
    of space: AuthSpace, for credentials: HttpCredentials, target: String, _ use: (inout AuthChoice) -> Result?
  ) -> Result? {
    state.withLock { state in
      let key = Key(space: space, credentials: credentials)
      guard var entry = state.entries[key] else { return nil }
      var best: Int?
      var bestDepth = -1
      for (index, scope) in entry.scopes.enumerated() {
        let isWithin = target.utf8.starts(with: scope.directory.utf8)
        guard isWithin || scope.realm != nil else { continue }
        let depth = isWithin ? scope.directory.utf8.count : 0
        if depth >= bestDepth { (best, bestDepth) = (index, depth) }
      }
      guard let best else { return nil }
      state.uses += 1
      entry.lastUse = state.uses
      defer { state.entries[key] = entry }
      return use(&entry.scopes[best].choice)
    }
  }

  /// It was wrong.
  func forget(_ realm: String, of space: AuthSpace, for credentials: HttpCredentials) {
    state.withLock { state in
      let key = Key(space: space, credentials: credentials)
      state.entries[key]?.scopes.removeAll { $0.realm == realm }
      if state.entries[key]?.scopes.isEmpty == true { state.entries[key] = nil }
    }
  }

  /// A response's Authentication-Info (RFC 7615).
  func read(info: String, realm: String, of space: AuthSpace, for credentials: HttpCredentials) {
    state.withLock { state in
      let key = Key(space: space, credentials: credentials)
      guard let index = state.entries[key]?.scopes.firstIndex(where: { $0.realm == realm }),
        case .digest(var digest)? = state.entries[key]?.scopes[index].choice
      else { return }
      let nonce = digest.nonce
      digest.read(authenticationInfo: info)
      if digest.nonce != nonce { state.entries[key]?.scopes[index].take(digest) }
    }
  }

  /// Pairs of an origin and credentials.
  var count: Int { state.withLock { $0.entries.count } }

  /// Up to the last slash of the path; empty for what is no path, such as CONNECT's.
  private static func directory(of target: String) -> String {
    let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
    guard path.first == UInt8(ascii: "/"), let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(Substring(path[...slash]))
  }

  private static func common(_ one: String, _ other: String) -> String {
    let shared = zip(one.utf8, other.utf8).prefix { $0 == $1 }.count
    return directory(of: String(Substring(one.utf8.prefix(shared))))
  }
}
