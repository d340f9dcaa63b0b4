internal import EventLoop
internal import HttpWire

/// How one exchange of a request goes by the cache.
@LoopActor
final class CacheCourse {
  let key: CacheKey
  let request: CacheRequest
  let policy: CachePolicy
  /// What was stored as it was sent.
  var entry: CacheEntry?
  /// The fields that ask the server whether that still holds.
  var conditions = HttpHeaders()
  /// Why the server is asked.
  var forward = CacheForward.miss
  /// When it was sent and when its head came, in seconds since 1970.
  var requestTime: Int64 = 0
  var responseTime: Int64 = 0
  /// The head as it came, of a response that is stored when it is whole.
  var stored: ResponseHead?
  /// What the stored response that is the answer was before it was decoded, in bytes; nil for one that is as it came.
  var encodedByteCount: Int64?

  init(_ key: CacheKey, _ request: CacheRequest, _ policy: CachePolicy) {
    self.key = key
    self.request = request
    self.policy = policy
  }
}
