internal import EventLoop
internal import HttpWire

/// Something that is agreed upon over a fresh connection before HTTP is spoken over it, such as TLS or a proxy's tunnel.
@LoopActor
protocol StreamLayer: AnyObject {
  /// Begins or goes on over `stream`, whose descriptor is ready or was never asked.
  func advance(over stream: ByteStream) -> LayerProgress
  /// What it is doing, for people: such as `in the TLS handshake with 192.0.2.1:443`.
  var explanation: String { get }
  /// That it is done, for the timeline.
  var step: RequestTrace.Moment { get }
  /// Whether its steps take so much computing that one turn of the loop may not do many of them.
  var isPaced: Bool { get }
  /// How long its TLS handshake took, in microseconds; zero if it has none.
  var tlsTime: Int64 { get }
  /// What was received beyond it: the beginning of what the connection carries. Only the last layer may have any.
  var surplus: [UInt8] { get }
}

extension StreamLayer {
  var surplus: [UInt8] { [] }
  var isPaced: Bool { false }
  var tlsTime: Int64 { 0 }
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
  /// It is about the one address that a proxy was asked for.
  var isOfDestination = false
  /// A proxy asks for credentials.
  var challenges: [AuthChallenge] = []
}

/// A connection that stands, and how it came about.
struct Connected {
  let stream: ByteStream
  /// Where the TCP connection goes: the origin, or the first proxy.
  let address: SocketAddress
  /// How long TLS handshakes took, in microseconds; zero without TLS.
  var tlsTime: Int64 = 0
  /// What was agreed on, for the timeline.
  var steps: [RequestTrace.Moment] = []
  /// What the origin has said already; only one that speaks HTTP/2 in the clear may have.
  var surplus: [UInt8] = []
}
