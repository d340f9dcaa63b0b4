internal import Glibc
public import HttpWire

extension ProxyChoice {
  /// Why requests could not go through it, in words without secrets; nil if nothing is known against it. That of the environment is not looked at.
  public var fault: String? {
    guard case .url(let url, _) = self, !url.isEmpty else { return nil }
    do throws(ProxyError) {
      _ = try Proxy(url)
      return nil
    } catch {
      return error.message
    }
  }

  /// What ``environment`` is for URLs of a scheme in this process, for who has another process make the request; nil if it names none.
  public static func ofEnvironment(for scheme: HttpUrl.Scheme) -> ProxyChoice? {
    let names = scheme == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    return variable(names + ["all_proxy", "ALL_PROXY"]).map { .url($0, noProxy: noProxyOfEnvironment ?? "") }
  }

  /// `no_proxy` or `NO_PROXY` of this process.
  public static var noProxyOfEnvironment: String? { variable(["no_proxy", "NO_PROXY"]) }

  /// Whether a list as of ``url(_:noProxy:)`` has the host.
  public static func isExempt(_ host: String, from list: String) -> Bool { NoProxyList(list).contains(host) }

  private static func variable(_ names: [String]) -> String? {
    names.lazy.compactMap { name in getenv(name).map { String(cString: $0) } }.first { !$0.isEmpty }
  }
}
