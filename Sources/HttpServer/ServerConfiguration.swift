public import HttpWire

/// The limits and times of an ``HttpServer``. A time of `.zero` means none.
public struct ServerConfiguration: Sendable {
  /// Limits on every part of a request but the body: 414 for the request line, 431 for the head.
  public var limits = WireLimits()
  /// The longest body taken, in bytes after the chunked coding; above it the answer is 413 and the connection ends.
  public var maxBodyBytes = 16 << 20
  /// From the first byte of a request (or from accepting the connection) to the end of its head; then 408.
  public var headerTimeout = Duration.seconds(30)
  /// The longest pause within a body; then 408.
  public var bodyTimeout = Duration.seconds(60)
  /// How long a connection may be without a request before it is closed.
  public var idleTimeout = Duration.seconds(75)
  /// How long a peer may take no byte of what waits for it; then the connection is reset.
  public var writeTimeout = Duration.seconds(60)
  /// How long a connection that ends before its request was read stays half open, so that the peer can read the answer.
  public var lingerTimeout = Duration.seconds(2)
  /// Connections at one time. Further ones wait in the kernel's queue until one closes.
  public var maxConnections = 20_000
  /// The kernel's queue of connections that wait to be accepted.
  public var backlog: Int32 = 4_096
  /// How long accepting pauses when the process or the system has no file descriptor left.
  public var acceptPause = Duration.milliseconds(100)
  /// A stream that has more bytes than this waiting for its peer tells its writer to stop until half of them are gone.
  public var highWaterBytes = 256 << 10
  /// Whether responses carry `Date` (RFC 9110 section 6.6.1).
  public var sendsDate = true
  /// The header fields and body of the answers that the server gives by itself (400, 405, 408, 413, 414, 431, 500, 501, 505),
  /// from the status and a sentence. Runs on the loop.
  public var errorBody: @Sendable (_ status: Int, _ message: String) -> (headers: HttpHeaders, body: [UInt8]) = { _, message in
    (["Content-Type": "text/plain; charset=utf-8"], Array(message.utf8) + [0x0A])
  }

  public init() {}
}
