internal import EventLoop

/// Something that is agreed upon over a fresh connection before HTTP is spoken over it, such as TLS or a proxy's tunnel.
@LoopActor
protocol StreamLayer: AnyObject {
  /// Begins or goes on over `stream`, whose descriptor is ready or was never asked.
  func advance(over stream: ByteStream) -> LayerProgress
  /// What it is doing, for people: such as `in the TLS handshake with 192.0.2.1:443`.
  var explanation: String { get }
}

enum LayerProgress {
  /// Goes on when the descriptor is ready for this.
  case wants(Interest)
  /// Agreed: what comes next runs over this stream.
  case done(ByteStream)
  case failed(ConnectFailure)
}

/// Why there is no connection.
struct ConnectFailure: Error {
  let code: HttpClientError.Code
  let phase: Phase
  let message: String
  /// Whether another try may succeed, as opposed to, say, a certificate that is wrong.
  var mayPass = true
}

/// A connection that stands, and how it came about.
struct Connected {
  let stream: ByteStream
  /// Where the TCP connection goes: the origin, or the first proxy.
  let address: SocketAddress
  /// The protocol agreed on in TLS (RFC 7301), such as `h2`.
  var alpn: String?
}
