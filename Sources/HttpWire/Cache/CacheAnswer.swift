/// What to do with a response of the server, given what was stored when it was asked.
public enum CacheAnswer: Sendable, Equatable {
  /// The stored response holds: answer with this one, which has the new header fields. `keeps`: it replaces the stored one; otherwise the
  /// stored one is to go, for the server does not want it stored any more.
  case notModified(CacheEntry, keeps: Bool)
  /// The 304 is not about the stored response (RFC 9111 4.3.4): ask again without conditions, and without the entry.
  case fetchAgain
  /// Answer with the stored response in place of the server's error.
  case standIn(age: Int64)
  /// The response is the answer. `stores`: it is to be stored when it is complete. `drops`: the stored one is outdated and is to go.
  case pass(stores: Bool, drops: Bool)
}
