internal import Glibc

/// The proxies that the environment names, with curl's meaning. Pure, but for ``process``.
struct ProxyEnvironment: Sendable {
  typealias Setting = Result<Proxy, ProxyError>

  /// Of URLs with the scheme `http`: `http_proxy`, else that of all. `HTTP_PROXY` does not count: in a CGI program it is a header
  /// field of whoever asks.
  let http: Setting?
  /// Of URLs with the scheme `https`: `https_proxy` or `HTTPS_PROXY`, else that of all.
  let https: Setting?
  /// `no_proxy` or `NO_PROXY`.
  let noProxy: NoProxyList

  init(_ variables: [String: String]) {
    self.init { variables[$0] }
  }

  private init(_ variable: (String) -> String?) {
    func setting(_ names: String...) -> Setting? {
      for name in names {
        guard let value = variable(name), !value.isEmpty else { continue }
        do throws(ProxyError) {
          return .success(try Proxy(value))
        } catch {
          return .failure(ProxyError("\(name) in the environment: \(error.message)"))
        }
      }
      return nil
    }
    let all = setting("all_proxy", "ALL_PROXY")
    http = setting("http_proxy") ?? all
    https = setting("https_proxy", "HTTPS_PROXY") ?? all
    let list = ["no_proxy", "NO_PROXY"].lazy.compactMap(variable).first { !$0.isEmpty }
    noProxy = NoProxyList(list ?? "")
  }

  /// What the process's environment says now.
  static var process: ProxyEnvironment {
    ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }
  }
}
