/// What the cache did with a request, for the Cache-Status field (RFC 9211).
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
  /// The field's name.
  public static let fieldName = "Cache-Status"

  /// The stored response is the answer, and the server was not asked first.
  public var isHit = false
  /// Seconds for which the response that is the answer is still fresh; negative: stale for as long.
  public var timeToLive: Int64?
  /// Why the server was asked.
  public var forward: CacheForward?
  /// What the server answered.
  public var forwardStatus: Int?
  /// The server's answer was stored.
  public var isStored = false
  /// A token for what the other members do not say, such as `stale-if-error`.
  public var detail: String?

  private init() {}

  /// The answer came from the cache.
  public static func hit(timeToLive: Int64) -> CacheStatus {
    var status = CacheStatus()
    status.isHit = true
    status.timeToLive = timeToLive
    return status
  }

  /// The server was asked. `status`: nil if it did not answer.
  public static func forward(_ reason: CacheForward, status: Int?, isStored: Bool = false) -> CacheStatus {
    var result = CacheStatus()
    result.forward = reason
    result.forwardStatus = status
    result.isStored = isStored
    return result
  }

  /// Nothing is stored, and the server was not to be asked.
  public static var onlyIfCached: CacheStatus {
    var status = CacheStatus()
    status.detail = "only-if-cached"
    return status
  }

  /// The member for Errand, such as `Errand; hit; ttl=30` or `Errand; fwd=stale; fwd-status=304`.
  public var description: String {
    var text = "Errand"
    if isHit { text += "; hit" }
    if let forward { text += "; fwd=\(forward.rawValue)" }
    if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
    if let timeToLive { text += "; ttl=\(timeToLive)" }
    if isStored { text += "; stored" }
    if let detail { text += "; detail=\(detail)" }
    return text
  }
}
