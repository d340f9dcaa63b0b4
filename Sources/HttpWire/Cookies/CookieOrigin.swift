/// What counts of a URL for cookies.
struct CookieOrigin {
  /// Without the dot that a name may end with.
  let host: String
  /// The registrable domain, or the host where it has none: cookies never leave it.
  let site: String
  /// Cookies of the host are for it alone, for it is an address or a public suffix.
  let isHostOnly: Bool
  let path: String
  /// By https; a loopback address is as insecure as any other.
  let isSecure: Bool

  init(_ url: HttpUrl) {
    var host = url.host
    if host.utf8.last == Ascii.dot { host.removeLast() }
    self.init(host: host, path: CookiePath.path(of: url.target), isSecure: url.scheme == .https)
  }

  /// Of a canonical host.
  init(host: String, path: String = "/", isSecure: Bool = true) {
    self.host = host
    self.path = path
    self.isSecure = isSecure
    let domain = PublicSuffixes.canonicalDomain(of: host)
    site = domain ?? host
    isHostOnly = domain == nil
  }
}
