/// Why a request ended without success: the one error type of the client.
public struct HttpClientError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure; open, so that later versions may add some.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }

    /// The request can't be sent as it is described.
    public static let invalidRequest = Code(rawValue: "invalid_request")
    /// The client takes no more requests, or a redirect leads where it may not.
    public static let denied = Code(rawValue: "denied")
    /// The queue is at its limit.
    public static let queueFull = Code(rawValue: "queue_full")
    /// The host name has no address.
    public static let dns = Code(rawValue: "dns")
    /// No address could be connected to.
    public static let connect = Code(rawValue: "connect")
    /// TLS could not be agreed on, or failed; the message says what was wrong with which certificate.
    public static let tls = Code(rawValue: "tls")
    /// A timer ran out; `phase` says which.
    public static let timeout = Code(rawValue: "timeout")
    /// The peer's bytes are not a response (RFC 9112).
    public static let malformedResponse = Code(rawValue: "malformed_response")
    /// The connection ended inside the response.
    public static let truncated = Code(rawValue: "truncated")
    /// The connection ended before a response; `sent` says how much of the request may have arrived.
    public static let connectionLost = Code(rawValue: "connection_lost")
    /// A part of the response is above its limit.
    public static let tooLarge = Code(rawValue: "too_large")
    /// It was sent on more often than it follows, or in a circle; `response` has the answer that would have led on.
    public static let tooManyRedirects = Code(rawValue: "too_many_redirects")
    /// Its body, a stream, would have to be sent again.
    public static let cannotReplayBody = Code(rawValue: "cannot_replay_body")
    /// A status of 400 or above; `response` has the answer.
    public static let httpStatus = Code(rawValue: "http_status")
    /// JSON was asked for and the body is none.
    public static let notJson = Code(rawValue: "not_json")
    /// JSON without the members that the envelope or the expectation names.
    public static let wrongShape = Code(rawValue: "wrong_shape")
    /// The service's envelope said no; `serviceCode` and `message` are the service's.
    public static let service = Code(rawValue: "service")
    /// The disk did not take a download, or its file may not be written; the message names the file.
    public static let file = Code(rawValue: "file")
    /// A download is not what it was to be; the message has both checksums.
    public static let checksum = Code(rawValue: "checksum")
    /// Sent, or perhaps sent, before the process ended that had it: nobody knows what became of it. The daemon's journal tells this.
    public static let unknown = Code(rawValue: "unknown")
    /// Cancelled by the caller.
    public static let cancelled = Code(rawValue: "cancelled")
  }

  public var code: Code
  /// Where in its life the request failed.
  public var phase: Phase?
  /// In words, without secrets.
  public var message: String
  /// For `invalid_request`: the part of the request that is wrong: `url`, `method`, `headers`, `unix_socket`, `proxy`, `tls`,
  /// `params`, `body`, `envelope`, `service`, `service_version`, `path`, `credentials` or `adapters`.
  public var field: String?
  /// For `queue_full`: the limit that is reached, by its name in settings, such as `max_queued_per_host`.
  public var limit: String?
  /// For `denied` by a circuit breaker: how long it refuses yet.
  public var retryAfter: Duration?
  /// Whether sending the same request again may help and is safe.
  public var retryable: Bool
  /// How much of the request may have reached the server.
  public var sent: SentState
  /// The service's own code, from its envelope.
  public var serviceCode: String?
  /// How often the request was sent or begun.
  public var attempts: Int
  public var timings: RequestTimings
  /// The response that the failure came with, whole.
  public var response: HttpResponse?

  public init(
    _ code: Code, phase: Phase? = nil, message: String, retryable: Bool = false, sent: SentState = .notSent, serviceCode: String? = nil,
    response: HttpResponse? = nil, attempts: Int = 0, timings: RequestTimings = RequestTimings()
  ) {
    self.code = code
    self.phase = phase
    self.message = message
    self.retryable = retryable
    self.sent = sent
    self.serviceCode = serviceCode
    self.attempts = attempts
    self.timings = timings
    self.response = response
  }

  /// The response's status, if there was one.
  public var status: Int? { response?.status }

  /// Such as `http_status: 503 Service Unavailable`.
  public var description: String { "\(code.rawValue): \(message)" }
}

/// How much of a request went out.
public enum SentState: String, Sendable, Hashable {
  /// Not one byte.
  case notSent = "not_sent"
  /// A part of it, or the connection was lost under it: the server may or may not have acted on it.
  case maybeSent = "maybe_sent"
  /// All of it was written.
  case sent
}
