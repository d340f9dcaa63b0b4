/// Cookies of requests and responses.
extension CookieJarState {
  /// Stores what the Set-Cookie fields of a response say, each field by itself, and tells what it did not take. The response to a request
  /// that another site caused may set cookies like any other.
  @discardableResult
  public mutating func store(setCookies: [String], from url: HttpUrl, at now: Int64) -> [RefusedCookie] {
    guard !setCookies.isEmpty else { return [] }
    let origin = CookieOrigin(url)
    var refused: [RefusedCookie] = []
    for (index, text) in setCookies.enumerated() {
      do throws(CookieRefusal) {
        let cookie = try Cookie(SetCookie(text, at: now), from: origin, at: now)
        guard origin.isSecure || !isOverSecure(cookie, inSite: origin.site, at: now) else { throw .overSecure }
        try put(cookie, site: origin.site, at: now)
      } catch {
        refused.append(RefusedCookie(index: index, text: text, reason: error))
      }
    }
    return refused
  }

  /// The value of the Cookie field for a request; nil if there is none to send. Those sent count as used.
  ///
  /// `isCrossSite`: another site's redirect led here. Then cookies with `SameSite=Strict` are left out, and those with `SameSite=Lax` or
  /// without SameSite unless the method is safe (RFC 6265bis 5.8.3). Secure cookies are sent by https alone, to loopback addresses, too.
  public mutating func header(for url: HttpUrl, method: HttpMethod = .get, isCrossSite: Bool = false, at now: Int64) -> String? {
    guard count > 0 else { return nil }
    let origin = CookieOrigin(url)
    var field: [UInt8] = []
    for slot in sites[origin.site] ?? [] {
      guard let cookie = entries[slot]?.cookie else { continue }
      if cookie.isExpired(at: now) {
        take(slot)
      } else if cookie.isFor(origin), !isCrossSite || cookie.goesAcrossSites(method) {
        let length = cookie.name.utf8.count + cookie.value.utf8.count + 3
        guard field.count + length <= limits.headerBytes else { continue }
        if !field.isEmpty { field.append(static: "; ") }
        field.append(text: cookie.name)
        if !cookie.name.isEmpty { field.append(Ascii.equals) }
        field.append(text: cookie.value)
        touch(slot, at: now)
      }
    }
    return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
  }

  /// Whether a cookie that came in the clear would be sent in the place of, or beside, one that did not (RFC 6265bis 5.7).
  private func isOverSecure(_ cookie: Cookie, inSite site: String, at now: Int64) -> Bool {
    (sites[site] ?? []).contains { slot in
      guard let other = entries[slot]?.cookie, other.isSecure, !other.isExpired(at: now), other.name.hasBytes(of: cookie.name) else {
        return false
      }
      return (CookieDomain.matches(cookie.domain, other.domain) || CookieDomain.matches(other.domain, cookie.domain))
        && CookiePath.matches(cookie.path, other.path)
    }
  }
}

extension Cookie {
  /// It goes with requests to there, as far as host, path and scheme are concerned.
  func isFor(_ origin: CookieOrigin) -> Bool {
    (isHostOnly ? domain == origin.host : CookieDomain.matches(origin.host, domain)) && (origin.isSecure || !isSecure)
      && CookiePath.matches(origin.path, path)
  }

  fileprivate func goesAcrossSites(_ method: HttpMethod) -> Bool {
    switch sameSite {
    case .none: true
    case .lax, .unspecified: method.isSafe
    case .strict: false
    }
  }
}
