internal import EventLoop
internal import HttpWire

/// The way to an origin: what a connection is made to, and what is agreed on over it before the origin can be spoken to.
struct Route: Sendable {
  let origin: Origin
  let policy: ConnectPolicy

  private var plan: ProxyPlan { origin.options?.proxy ?? .direct }

  /// The host to connect to: the origin's or the proxy's, without brackets.
  var host: String { plan.proxy?.host ?? origin.host }
  var port: UInt16 { plan.proxy?.port ?? origin.port }

  /// Why an address of the host may not be connected to; nil if it may. The client's own proxy is never refused.
  func refusal(_ address: SocketAddress) -> String? {
    guard let egress = origin.options?.egress, plan.proxy == nil || origin.options?.isOwnProxy == true else { return nil }
    return egress.refusal(origin.egressTarget(host: host, port: port), at: address)
  }

  /// The same for an address that a proxy is to connect to.
  func refusal(destination address: SocketAddress) -> String? {
    origin.options?.egress?.refusal(origin.egressTarget(host: origin.host, port: origin.port), at: address)
  }

  /// The name that is resolved here though the proxy connects to it.
  var resolvedDestination: String? {
    guard case .tunnel(let proxy) = plan, proxy.kind == .socks5 else { return nil }
    return origin.host
  }

  /// Of an error on the way to the proxy, what it is about; empty for an origin.
  var prefix: String { plan.proxy.map { "the proxy \($0): " } ?? "" }

  /// Said after what is connected to.
  var suffix: String { plan.proxy.map { ", the proxy \($0)" } ?? "" }

  /// The proxy that is asked for a tunnel with CONNECT.
  var connectProxy: Proxy? {
    guard case .tunnel(let proxy) = plan, !proxy.kind.isSocks else { return nil }
    return proxy
  }

  /// What is agreed on over a fresh connection, in order: TLS with the proxy, the tunnel, TLS with the origin. `destination` is the address
  /// that the tunnel leads to; nil leaves the name to the proxy. `authorization`: what CONNECT says instead of the proxy's credentials in Basic.
  @LoopActor func layers(to destination: SocketAddress?, authorization: String? = nil) throws(ConnectFailure) -> [any StreamLayer] {
    var layers: [any StreamLayer] = []
    if let proxy = plan.proxy, proxy.kind == .https {
      layers.append(TlsLayer(try ready(policy.tls.forProxies), with: proxy))
    }
    if case .tunnel(let proxy) = plan {
      do throws(TunnelError) {
        layers.append(TunnelLayer(try handshake(proxy, destination, authorization), through: proxy, to: "\(origin)"))
      } catch {
        throw ConnectFailure(proxy, error)
      }
    }
    if origin.isSecure {
      let context = try ready(origin.options?.tls ?? policy.tls.own)
      layers.append(TlsLayer(context, host: origin.host, port: origin.port, version: origin.options?.version ?? .auto))
    }
    return layers
  }

  private func ready(_ context: TlsContext?) throws(ConnectFailure) -> TlsContext {
    guard let context else { throw ConnectFailure(code: .tls, phase: .tls, message: "TLS was not made ready") }
    return context
  }

  private func handshake(_ proxy: Proxy, _ destination: SocketAddress?, _ authorization: String?) throws(TunnelError) -> any TunnelHandshake
  {
    // Only HTTP/2 in the clear has an origin that speaks before it is asked.
    let allowsSurplus = !origin.isSecure && origin.options?.version == .http2
    guard proxy.kind.isSocks else {
      return ConnectHandshake(
        host: origin.host, port: origin.port, userAgent: policy.userAgent, credentials: proxy.credentials, authorization: authorization,
        limits: policy.limits, allowsSurplus: allowsSurplus)
    }
    return try Socks5Handshake(
      to: .init(host: destination?.literal ?? origin.host), port: origin.port, credentials: proxy.credentials, allowsSurplus: allowsSurplus)
  }
}
