internal import EventLoop

/// Has a proxy open a way to the origin: runs a ``TunnelHandshake`` over the connection to the proxy.
@LoopActor
final class TunnelLayer: StreamLayer {
  private let proxy: Proxy
  private let destination: String
  private var handshake: any TunnelHandshake
  private var outgoing: [UInt8] = []
  private var sentCount = 0
  private var hasStarted = false

  /// `destination`: where the tunnel leads, for people.
  init(_ handshake: any TunnelHandshake, through proxy: Proxy, to destination: String) {
    self.handshake = handshake
    self.proxy = proxy
    self.destination = destination
  }

  var explanation: String { "waiting for the proxy \(proxy) to open a tunnel to \(destination)" }
  var step: RequestTrace.Moment {
    RequestTrace.Moment(at: EventLoop.shared.now, event: "tunnel", note: "to \(destination) through \(proxy)")
  }
  var surplus: [UInt8] { handshake.surplus }

  func advance(over stream: ByteStream) -> LayerProgress {
    if !hasStarted {
      hasStarted = true
      outgoing = handshake.start()
    }
    while true {
      let writeFailure = flush(stream)
      // What was received counts before a write that failed: a proxy may refuse before it has read all, and close.
      switch stream.receive(into: EventLoop.shared.readBuffer) {
      case .bytes(let count):
        switch handshake.received(Array(EventLoop.shared.readBuffer[..<count])) {
        case .needsMore: continue
        case .send(let bytes): outgoing += bytes
        case .done where hasUnsent: return failed(TunnelError(.malformed, "answered before it was asked"))
        case .done: return .done(stream)
        case .failed(let error): return failed(error)
        }
      case .wouldBlock:
        if let writeFailure { return broken(writeFailure) }
        return .wants(hasUnsent || stream.tls?.readWantsWrite == true ? [.read, .write] : .read)
      case .closed:
        return failed(handshake.closed)
      case .failed(let error):
        return broken(error)
      }
    }
  }

  private var hasUnsent: Bool { sentCount < outgoing.count }

  private func flush(_ stream: ByteStream) -> StreamError? {
    while hasUnsent {
      switch stream.send(outgoing, from: sentCount) {
      case .sent(let count): sentCount += count
      case .wouldBlock: return nil
      case .failed(let error): return error
      }
    }
    outgoing = []
    sentCount = 0
    return nil
  }

  private func failed(_ error: TunnelError) -> LayerProgress {
    .failed(ConnectFailure(proxy, error))
  }

  private func broken(_ error: StreamError) -> LayerProgress {
    failed(TunnelError(.closed, "broke off while it was asked for a tunnel to \(destination): \(error)"))
  }
}

extension ConnectFailure {
  /// What a proxy did instead of opening a tunnel.
  init(_ proxy: Proxy, _ error: TunnelError) {
    code = .connect
    phase = .connect
    message = "the proxy \(proxy) \(error.message)"
    mayPass = error.mayPass
    challenges = error.challenges
    isOfDestination = error.code == .unreachable || error.code == .denied
  }
}
