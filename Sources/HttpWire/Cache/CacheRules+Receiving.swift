extension CacheRules {
  /// What the head of a response makes of the stored one.
  ///
  /// - Parameters:
  ///   - status: Of a final response.
  ///   - entry: What was stored for the request when it was sent, if anything.
  ///   - requestTime: When the request was sent, in seconds since 1970.
  ///   - now: When the head came.
  public static func receive(
    status: Int, headers: HttpHeaders, for request: CacheRequest, entry: CacheEntry?, policy: CachePolicy, requestTime: Int64, now: Int64
  ) -> CacheAnswer {
    guard policy != .off, request.isCacheable else { return .pass(stores: false, drops: false) }
    if let entry {
      if status == 304, mayHaveAsked(request, entry, policy) {
        guard let fresh = freshened(entry, by: headers, for: request, requestTime: requestTime, responseTime: now) else {
          return .fetchAgain
        }
        return .notModified(fresh, keeps: mayStay(request, fresh.status, fresh.headers))
      }
      if status >= 500, let age = standIn(entry, for: request, policy: policy, status: status, now: now) { return .standIn(age: age) }
    }
    let stores = isStorable(request, status: status, headers: headers, policy: policy)
    guard let entry, !stores, entry.variant.matches(request.headers) else { return .pass(stores: stores, drops: false) }
    return .pass(stores: false, drops: request.method == .head ? isOutdated(entry, byHead: headers) : tellsState(status))
  }

  /// Whether the request carried conditions of the cache's own: any other 304 is the server's fault, and no word on the stored response.
  private static func mayHaveAsked(_ request: CacheRequest, _ entry: CacheEntry, _ policy: CachePolicy) -> Bool {
    policy != .reload && !request.control.noStore && !conditions(entry).isEmpty
  }

  /// The status speaks of the resource, so that what was stored is outdated; others speak of this request.
  private static func tellsState(_ status: Int) -> Bool {
    switch status {
    case 206, 304: false
    case 200...399, 404, 410: true
    default: false
    }
  }
}
