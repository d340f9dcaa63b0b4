internal import CPsl

/// Domains below which unrelated people register theirs, such as `co.uk` and `github.io`: those of publicsuffix.org that libpsl was built
/// with. A name whose end is not listed is taken for one below a suffix of a single label.
public enum PublicSuffixes {
  /// The domain that somebody registered, which `host` is or is in: `example.co.uk` for `a.example.co.uk`. nil if `host` is a public
  /// suffix itself, a name of one label, an address or no host. Costs about a microsecond.
  public static func registrableDomain(of host: String) -> String? {
    guard let host = CookieDomain.canonical(host) else { return nil }
    return canonicalDomain(of: host)
  }

  /// Whether the two are of one site: of the same registrable domain or, where there is none, of the same host. Unlike in RFC 6265bis 5.2
  /// the scheme does not count, so that a server that sends from http to https is no other site.
  public static func isSameSite(_ one: HttpUrl, _ other: HttpUrl) -> Bool {
    one.host == other.host || CookieOrigin(one).site == CookieOrigin(other).site
  }

  static func canonicalDomain(of host: String) -> String? {
    guard !CookieDomain.isAddress(host) else { return nil }
    return host.withCString { text in
      // It points into what it was given.
      psl_registrable_domain(psl_builtin(), text).map { String(cString: $0) }
    }
  }
}
