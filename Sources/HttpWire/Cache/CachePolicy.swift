/// How a request uses the cache.
public enum CachePolicy: String, Sendable, Hashable, CaseIterable {
  /// Neither reads nor writes it. Unsafe methods still invalidate what is stored.
  case off
  /// By the rules of RFC 9111 and RFC 5861.
  case `default`
  /// Asks the server without conditions; the answer replaces what is stored.
  case reload
  /// Asks the server whether what is stored still holds, however fresh it is. An `immutable` response that is fresh is used as it is (RFC
  /// 8246).
  case revalidate
  /// Never asks the server: what is stored is the answer however stale it is, and 504 where nothing is.
  case onlyIfCached = "only-if-cached"
  /// Asks the server, and takes what is stored, however stale it is, if the load fails or the status is 5xx.
  case fallback
}
