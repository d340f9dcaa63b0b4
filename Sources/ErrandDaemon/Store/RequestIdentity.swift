internal import EventLoop

/// What a request was submitted with that is told with its outcome.
struct RequestIdentity: Sendable {
  let tag: Int?
  let key: String?
  /// JSON, given back as it came; empty if there is none.
  let meta: [UInt8]
  let method: String
  /// As given; with the params once the request has ended.
  var url: String
  let acceptedAt: Instant
}
