/// What becomes a cookie in a jar.
extension Cookie {
  /// The cookie that a server sets (RFC 6265bis 5.7), as far as nobody has to look into the jar.
  init(_ parsed: SetCookie, from origin: CookieOrigin, at now: Int64) throws(CookieRefusal) {
    self.init(
      name: parsed.name, value: parsed.value, domain: origin.host, path: parsed.path ?? CookiePath.byDefault(for: origin.path),
      expires: parsed.expires, isSecure: parsed.isSecure, isHttpOnly: parsed.isHttpOnly, sameSite: parsed.sameSite, creation: now)
    if let wanted = parsed.domain {
      guard wanted.utf8.allSatisfy({ $0 < 0x80 }) else { throw .invalidDomain }
      if wanted != origin.host {
        guard CookieDomain.matches(origin.host, wanted) else { throw .foreignDomain }
        guard CookieDomain.matches(wanted, origin.site) else { throw .publicSuffix }
      }
      domain = wanted
      isHostOnly = origin.isHostOnly
    }
    // That of the request may be long.
    guard path.utf8.count <= CookieLimits.attributeBytes else { throw .tooLarge }
    guard !isSecure || origin.isSecure else { throw .insecureSource }
    guard sameSite != .none || isSecure else { throw .crossSiteInsecure }
    guard keepsPromise, parsed.hasPath || !claims("__host-") else { throw .prefix }
  }

  /// A cookie that a person or a file sets. One that is for all of a public suffix or of an address becomes one for that host alone, as the
  /// same cookie does when that host sets it.
  func checked() throws(CookieRefusal) -> (cookie: Cookie, site: String) {
    guard !name.isEmpty || !value.isEmpty else { throw .empty }
    guard name.utf8.count + value.utf8.count <= CookieLimits.nameAndValueBytes, path.utf8.count <= CookieLimits.attributeBytes else {
      throw .tooLarge
    }
    guard [name, value, path].allSatisfy({ $0.withBytes(Ascii.isFieldValue) }) else { throw .control }
    for part in [name, value] {
      guard part.withBytes({ Ascii.trimmed($0).count == $0.count && !$0.contains(Ascii.semicolon) }) else { throw .malformed }
    }
    guard !name.utf8.contains(Ascii.equals), path.utf8.first == Ascii.slash else { throw .malformed }
    guard let host = CookieDomain.canonical(domain) else { throw .invalidDomain }
    let origin = CookieOrigin(host: host)
    var cookie = self
    cookie.domain = host
    cookie.isHostOnly = isHostOnly || origin.isHostOnly
    guard cookie.keepsPromise else { throw .prefix }
    return (cookie, origin.site)
  }

  /// It is what the prefix of its name says (RFC 6265bis 4.1.3). Without a name it may not look as if it had one with a prefix.
  private var keepsPromise: Bool {
    if claims("__host-") { return !name.isEmpty && isSecure && isHostOnly && path == "/" }
    return !claims("__secure-") || !name.isEmpty && isSecure
  }

  private func claims(_ prefix: StaticString) -> Bool {
    (name.isEmpty ? value : name).withBytes { bytes in
      bytes.count >= prefix.utf8CodeUnitCount && Ascii.equals(bytes[piece: 0..<prefix.utf8CodeUnitCount], prefix)
    }
  }
}
