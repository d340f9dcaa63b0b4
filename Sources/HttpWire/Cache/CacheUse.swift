/// How a stored response stands to a request.
struct CacheUse {
  let age: Int64
  private let lifetime: Int64
  private let asked: CacheControl
  private let told: CacheControl

  init(_ request: CacheRequest, _ entry: CacheEntry, _ now: Int64) {
    asked = request.control
    told = CacheControl(response: entry.headers)
    age = CacheRules.age(entry, now: now)
    lifetime = CacheRules.lifetime(entry.status, entry.headers, told, entry.responseTime)
  }

  var isFresh: Bool { lifetime > age }
  var isImmutable: Bool { told.isImmutable }

  /// The response is not to be used without asking, however fresh it is.
  var needsValidation: Bool { told.noCache }

  /// The request's own directives let it be used, apart from whether it may be stale.
  var suitsRequest: Bool {
    if asked.noCache { return false }
    // Who says 0 wants the server asked, even within the second in which the response came.
    if let maxAge = asked.maxAge, age > maxAge || maxAge == 0 { return false }
    if let minFresh = asked.minFresh, lifetime - age < minFresh { return false }
    return true
  }

  /// The request takes it as stale as it is.
  var isWantedStale: Bool {
    guard let maxStale = asked.maxStale, !told.mustRevalidate else { return false }
    return maxStale == CacheControl.longest || age - lifetime <= maxStale
  }

  /// The response may be used while it is validated. A request that sets a limit of age wants no stale response (RFC 9111 5.2.1.1).
  var isLentStale: Bool {
    guard let time = told.staleWhileRevalidate, !told.mustRevalidate, asked.maxAge == nil, asked.minFresh == nil else { return false }
    return age - lifetime <= time
  }

  /// `stale-if-error` allows it.
  var mayHideError: Bool {
    guard !told.mustRevalidate, !told.noCache else { return false }
    if let time = asked.staleIfError, age - lifetime <= time { return true }
    guard let time = told.staleIfError, !asked.noCache else { return false }
    return age - lifetime <= time
  }
}
