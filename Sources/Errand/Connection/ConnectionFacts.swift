internal import EventLoop
internal import HttpWire

/// What a connection is called and what was agreed on it; shared by the requests it carries.
final class ConnectionFacts: Sendable {
  let id: UInt64
  let address: SocketAddress
  /// This machine's end.
  let localAddress: SocketAddress?
  let isHttp2: Bool
  let openedAt: Instant
  /// What was agreed on before the first request; nil if nothing was, as in the clear.
  private let agreement: Agreement?

  /// Apart, for it is large, and connections in the clear are many.
  private final class Agreement: Sendable {
    let tls: TlsFacts?
    let tlsTime: Int64
    let steps: [RequestTrace.Moment]

    init(_ tls: TlsFacts?, _ tlsTime: Int64, _ steps: [RequestTrace.Moment]) {
      self.tls = tls
      self.tlsTime = tlsTime
      self.steps = steps
    }
  }

  init(
    id: UInt64, address: SocketAddress, localAddress: SocketAddress? = nil, isHttp2: Bool = false, tls: TlsFacts? = nil, tlsTime: Int64 = 0,
    steps: [RequestTrace.Moment] = [], openedAt: Instant = .now()
  ) {
    self.id = id
    self.address = address
    self.localAddress = localAddress
    self.isHttp2 = isHttp2
    self.openedAt = openedAt
    agreement = tls == nil && tlsTime == 0 && steps.isEmpty ? nil : Agreement(tls, tlsTime, steps)
  }

  /// What TLS with the origin agreed on; nil in the clear.
  var tls: TlsFacts? { agreement?.tls }
  /// How long TLS handshakes took, in microseconds; zero without TLS.
  var tlsTime: Int64 { agreement?.tlsTime ?? 0 }
  /// What was agreed on before the first request, such as a tunnel.
  var steps: [RequestTrace.Moment] { agreement?.steps ?? [] }
}
