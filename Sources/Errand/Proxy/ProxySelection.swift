internal import HttpWire

/// A choice of proxies made ready, so that a request costs a look-up at most.
struct ProxySelection: Sendable {
  private let http: ProxyEnvironment.Setting?
  private let https: ProxyEnvironment.Setting?
  private let noProxy: NoProxyList

  /// Never throws: a proxy that is wrong is an error of the requests that would go through it.
  init(_ choice: ProxyChoice, _ environment: ProxyEnvironment) {
    switch choice {
    case .environment:
      (http, https, noProxy) = (environment.http, environment.https, environment.noProxy)
    case .none, .url("", _):
      (http, https, noProxy) = (nil, nil, NoProxyList(""))
    case .url(let url, let list):
      let setting = ProxyEnvironment.Setting { () throws(ProxyError) in try Proxy(url) }
      (http, https, noProxy) = (setting, setting, list.map(NoProxyList.init) ?? environment.noProxy)
    }
  }

  /// The proxy to `host`; nil is none.
  func proxy(_ scheme: HttpUrl.Scheme, host: String) throws(ProxyError) -> Proxy? {
    guard let setting = scheme == .http ? http : https, !noProxy.contains(host) else { return nil }
    return try setting.get()
  }
}
