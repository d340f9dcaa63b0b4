internal import EventLoop
internal import HttpWire

/// What a connection is called and what was agreed on it; shared by the requests it carries.
final class ConnectionFacts: Sendable {
  let id: UInt64
  let address: SocketAddress
  /// This machine's end.
  let localAddress: SocketAddress?
  /// `HTTP/1.1` or `HTTP/2`.
  let speech: String
  /// What TLS with the origin agreed on; nil in the clear.
  let tls: TlsFacts?
  /// How long TLS handshakes took, in microseconds; zero without TLS.
  let tlsTime: Int64
  let openedAt: Instant
  /// What was agreed on before the first request, such as a tunnel.
  let steps: [RequestTrace.Moment]

  init(
    id: UInt64, address: SocketAddress, localAddress: SocketAddress?, speech: String, tls: TlsFacts? = nil, tlsTime: Int64 = 0,
    steps: [RequestTrace.Moment] = [], openedAt: Instant = .now()
  ) {
    self.tls = tls
    self.tlsTime = tlsTime
    self.steps = steps
    self.id = id
    self.address = address
    self.localAddress = localAddress
    self.speech = speech
    self.openedAt = openedAt
  }
}
