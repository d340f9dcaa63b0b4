/// The rules of a private HTTP cache (RFC 9111, RFC 5861, RFC 8246). Pure: times are arguments, in seconds since 1970.
///
/// The course of a request: ``decide(_:entry:missing:policy:now:)`` says whether the server is asked; when its head came,
/// ``receive(status:headers:for:entry:policy:requestTime:now:)`` says what that makes of the stored response; when none came,
/// ``standIn(_:for:policy:status:now:)``.
public enum CacheRules {
  /// What to do with a request.
  ///
  /// - Parameters:
  ///   - entry: What is stored for it, if anything.
  ///   - missing: Why there is no entry, as the store says.
  public static func decide(
    _ request: CacheRequest, entry: CacheEntry?, missing: CacheForward = .miss, policy: CachePolicy, now: Int64
  ) -> CacheDecision {
    let decision = wish(request, entry, missing, policy, now)
    guard request.control.onlyIfCached || policy == .onlyIfCached, policy != .off else { return decision }
    return switch decision {
    case .useFresh, .useStale, .gatewayTimeout: decision
    case .useStaleAndRevalidate(let age, _): .useStale(age: age)
    case .revalidate, .fetch: .gatewayTimeout
    }
  }

  /// The decision as if the server could be asked.
  private static func wish(
    _ request: CacheRequest, _ entry: CacheEntry?, _ missing: CacheForward, _ policy: CachePolicy, _ now: Int64
  ) -> CacheDecision {
    if policy == .off { return .fetch(.bypass) }
    if let bypass = request.bypass { return .fetch(bypass) }
    if policy == .reload || request.control.noStore { return .fetch(.request) }
    guard let entry else { return .fetch(missing) }
    guard entry.variant.matches(request.headers) else { return .fetch(.varyMiss) }
    let use = CacheUse(request, entry, now)
    switch policy {
    case .onlyIfCached:
      guard use.suitsRequest else { return .gatewayTimeout }
      return use.isFresh && !use.needsValidation ? .useFresh(age: use.age) : .useStale(age: use.age)
    case .revalidate:
      if use.isFresh, use.isImmutable, use.suitsRequest, !use.needsValidation { return .useFresh(age: use.age) }
    case .default:
      if use.suitsRequest, !use.needsValidation {
        if use.isFresh { return .useFresh(age: use.age) }
        if use.isWantedStale { return .useStale(age: use.age) }
        if use.isLentStale { return .useStaleAndRevalidate(age: use.age, conditions: conditions(entry)) }
      }
    case .fallback, .reload, .off: break
    }
    let reason: CacheForward = use.isFresh && !use.needsValidation ? .request : .stale
    let conditions = conditions(entry)
    return conditions.isEmpty ? .fetch(reason) : .revalidate(conditions: conditions, reason)
  }

  /// Whether a stored response may stand in for an answer that did not come, or came as a server error: its age, or nil.
  ///
  /// With the policy `fallback` it may, for a failure and for 5xx. With `default` it may where `stale-if-error` of the request or of the
  /// response allows it (RFC 5861 4), for a failure and for 500, 502, 503 and 504; not against `no-cache` and `must-revalidate`.
  ///
  /// - Parameter status: Of the server's answer; nil if none came.
  public static func standIn(_ entry: CacheEntry, for request: CacheRequest, policy: CachePolicy, status: Int?, now: Int64) -> Int64? {
    guard request.isCacheable, entry.variant.matches(request.headers) else { return nil }
    let use = CacheUse(request, entry, now)
    switch policy {
    case .fallback:
      guard status.map({ $0 >= 500 }) ?? true else { return nil }
      return use.age
    case .default:
      switch status {
      case nil, 500, 502, 503, 504: return use.mayHideError ? use.age : nil
      default: return nil
      }
    case .off, .reload, .revalidate, .onlyIfCached: return nil
    }
  }
}
