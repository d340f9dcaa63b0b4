/// Which proxy requests go through.
///
/// A proxy is written as curl takes it: `[scheme://][user:password@]host[:port]`, with the scheme `http` (also where there is none),
/// `https` (TLS to the proxy itself), `socks5` (names are resolved here) or `socks5h` (names are resolved at the proxy). Without a port it is 1080, and
/// 443 for `https`. User and password are percent-decoded. `socks4`, `socks4a` and others are refused.
///
/// Plain `http` requests are handed to an HTTP proxy whole; all others go through a tunnel (RFC 9110 9.3.6, RFC 1928). A request to
/// a Unix socket uses no proxy.
public enum ProxyChoice: Sendable, Hashable {
  /// What the process's environment said when the client was made: `http_proxy` (in lower case only) for `http`; `https_proxy` or
  /// `HTTPS_PROXY` for `https`; then `all_proxy` or `ALL_PROXY` for both. Hosts in `no_proxy` or `NO_PROXY` are spoken to directly. An empty variable
  /// counts as none, and of two spellings the one in lower case counts.
  case environment
  /// No proxy, whatever the environment says.
  case none
  /// This proxy for all hosts but those of `noProxy`, a list of names, suffixes, addresses and networks as in `no_proxy`; `*` is all hosts.
  /// `noProxy` nil takes the environment's list, as curl does, and `""` has no exceptions. An empty URL is no proxy.
  case url(String, noProxy: String? = nil)
}

extension ProxyChoice: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without user and password.
  public var description: String {
    switch self {
    case .environment: "environment"
    case .none: "none"
    case .url(let url, _): ProxyChoice.withoutSecrets(url)
    }
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }

  /// Everything before the last `@`, but for the scheme, may be a secret.
  private static func withoutSecrets(_ url: String) -> String {
    guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
    let secret = url[..<at]
    let scheme = secret.utf8.firstRange(of: "://".utf8).map { secret[..<$0.upperBound] } ?? ""
    return scheme + "***" + url[at...]
  }
}
