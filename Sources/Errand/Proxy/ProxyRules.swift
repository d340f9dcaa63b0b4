internal import HttpWire

/// What a client's requests go through, made ready when the client is made.
final class ProxyRules: Sendable {
  private let choice: ProxyChoice
  private let selection: ProxySelection
  private let environment: ProxyEnvironment

  init(_ choice: ProxyChoice, _ environment: ProxyEnvironment) {
    self.choice = choice
    self.environment = environment
    selection = ProxySelection(choice, environment)
  }

  /// The way of a request: as it says itself, else as its client does.
  func plan(_ request: HttpRequest, to url: HttpUrl) throws(ProxyError) -> ProxyPlan {
    if request.optionBox == nil { return try ProxyPlan(url, selection, unixSocket: nil, needsTunnel: false) }
    // HTTP/2 in the clear is nothing that a proxy could be handed whole.
    let needsTunnel = request.httpVersion == .http2
    guard let own = request.proxy, own != choice else {
      if request.proxy != nil { try ProxyRules.check(choice, request.unixSocket) }
      return try ProxyPlan(url, selection, unixSocket: request.unixSocket, needsTunnel: needsTunnel)
    }
    try ProxyRules.check(own, request.unixSocket)
    return try ProxyPlan(url, ProxySelection(own, environment), unixSocket: request.unixSocket, needsTunnel: needsTunnel)
  }

  /// One that names a proxy for a Unix socket would not get what it asks for.
  private static func check(_ own: ProxyChoice, _ unixSocket: String?) throws(ProxyError) {
    if unixSocket != nil, case .url(let url, _) = own, !url.isEmpty {
      throw ProxyError("a request to a Unix socket goes through no proxy: leave out one of the two")
    }
  }
}
