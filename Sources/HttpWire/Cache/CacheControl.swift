/// The directives of Cache-Control (RFC 9111 5.2, RFC 5861, RFC 8246), of a request or a response.
///
/// Names are read in any case, arguments as tokens or quoted strings. Unknown directives are ignored, and so are those for shared caches
/// (`s-maxage`, `proxy-revalidate`). Of a directive given twice the first counts. An argument that is no number makes the stricter reading
/// hold: a response that is stale, a request that takes no stale one. Times are seconds of at most ``longest``.
public struct CacheControl: Sendable, Hashable {
  /// The greatest time, 2^31 s: what is longer counts as this (RFC 9111 1.2.2).
  public static let longest: Int64 = 2_147_483_648

  /// There is no directive at all.
  public internal(set) var isEmpty = true
  public internal(set) var maxAge: Int64?
  /// `no-cache` without field names.
  public internal(set) var noCache = false
  /// The field names of `no-cache="…"`, in lower case: these fields are not to be used without validation.
  public internal(set) var noCacheFields: [String] = []
  public internal(set) var noStore = false
  public internal(set) var mustRevalidate = false
  public internal(set) var mustUnderstand = false
  public internal(set) var isPublic = false
  public internal(set) var isPrivate = false
  public internal(set) var isImmutable = false
  public internal(set) var onlyIfCached = false
  /// How long after its lifetime a response is still wanted; ``longest`` where `max-stale` has no argument.
  public internal(set) var maxStale: Int64?
  public internal(set) var minFresh: Int64?
  public internal(set) var staleWhileRevalidate: Int64?
  public internal(set) var staleIfError: Int64?

  /// Of a response.
  public init(response headers: HttpHeaders) {
    headers.forEachValue(of: "cache-control") { value in
      FieldList.forEach(value) { read($0) }
      return true
    }
  }

  /// Of a request. `Pragma: no-cache` is read as `no-cache` where there is no Cache-Control (RFC 9111 5.4).
  public init(request headers: HttpHeaders) {
    self.init(response: headers)
    if !headers.contains("Cache-Control"), headers.hasToken("no-cache", in: "Pragma") { noCache = true }
  }
}
