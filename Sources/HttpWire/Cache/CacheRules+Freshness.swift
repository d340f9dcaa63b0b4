extension CacheRules {
  /// How long a response is fresh, in seconds of its age (RFC 9111 4.2.1, 4.2.2): `max-age`; or Expires less Date; or a tenth of the time
  /// since Last-Modified, at most a day, where the status or `public` allows a guess; otherwise 0.
  ///
  /// - Parameter responseTime: When it came, in seconds since 1970. Stands in for a Date that is missing or none.
  public static func lifetime(status: Int, headers: HttpHeaders, responseTime: Int64) -> Int64 {
    lifetime(status, headers, CacheControl(response: headers), responseTime)
  }

  static func lifetime(_ status: Int, _ headers: HttpHeaders, _ control: CacheControl, _ responseTime: Int64) -> Int64 {
    if let maxAge = control.maxAge { return maxAge }
    let date = date(headers, responseTime)
    if let expires = headers["Expires"] {
      // "0" and other values that are no date are in the past (RFC 9111 5.3).
      return HttpDate.seconds(expires, now: responseTime).map { bounded($0, minus: date) } ?? 0
    }
    guard isHeuristicallyCacheable(status) || control.isPublic, let text = headers["Last-Modified"],
      let modified = HttpDate.seconds(text, now: responseTime)
    else { return 0 }
    return min(bounded(date, minus: modified) / 10, longestGuess)
  }

  /// How old a response is, in seconds (RFC 9111 4.2.3). A clock that was set back makes it older, not younger: an entry from the future
  /// is not to stay fresh until then.
  public static func age(_ entry: CacheEntry, now: Int64) -> Int64 {
    let apparent = bounded(entry.responseTime, minus: date(entry.headers, entry.responseTime))
    let delay = bounded(entry.responseTime, minus: entry.requestTime)
    let corrected = (ageField(entry.headers) ?? 0) + delay
    let resident = max(bounded(now, minus: entry.responseTime), bounded(entry.responseTime, minus: now))
    return min(max(apparent, corrected) + resident, CacheControl.longest)
  }

  /// How long it is still fresh, in seconds; negative for how long it has been stale. For `ttl` in Cache-Status.
  public static func timeToLive(_ entry: CacheEntry, now: Int64) -> Int64 {
    lifetime(status: entry.status, headers: entry.headers, responseTime: entry.responseTime) - age(entry, now: now)
  }

  /// Responses with these statuses may be stored and guessed at without being told (RFC 9110 15.1). 206 is one of them, but is never
  /// stored.
  static func isHeuristicallyCacheable(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// A day, in seconds.
  static let longestGuess: Int64 = 86_400

  private static func date(_ headers: HttpHeaders, _ responseTime: Int64) -> Int64 {
    headers["Date"].flatMap { HttpDate.seconds($0, now: responseTime) } ?? responseTime
  }

  /// The first member of the field; one that is no number does not count (RFC 9111 5.1).
  private static func ageField(_ headers: HttpHeaders) -> Int64? {
    var age: Int64?
    headers.forEachValue(of: "age") { value in
      let end = value.firstIndex(of: Ascii.comma) ?? value.count
      age = CacheControl.seconds(Ascii.trimmed(value[piece: 0..<end]))
      return false
    }
    return age
  }

  /// The difference, between 0 and `longest`.
  private static func bounded(_ later: Int64, minus earlier: Int64) -> Int64 {
    let (difference, overflow) = later.subtractingReportingOverflow(earlier)
    if overflow { return later < earlier ? 0 : CacheControl.longest }
    return min(max(difference, 0), CacheControl.longest)
  }
}
