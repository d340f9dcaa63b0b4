/// Cookies as their owner sees them. Domains are taken in any case, in Unicode, with or without a leading dot.
extension CookieJarState {
  /// All, in the order in which they came.
  public func all(at now: Int64) -> [Cookie] {
    entries.compactMap(\.self).filter { !$0.cookie.isExpired(at: now) }.sorted { $0.order < $1.order }.map(\.cookie)
  }

  /// Those that a request to `url` is sent if no other site caused it, in the order of sending; there is no limit to their length.
  public func all(for url: HttpUrl, at now: Int64) -> [Cookie] {
    let origin = CookieOrigin(url)
    return (sites[origin.site] ?? []).compactMap { entries[$0]?.cookie }.filter { $0.isFor(origin) && !$0.isExpired(at: now) }
  }

  /// The cookie of that name, domain and path; of two, the one for the host only.
  public func cookie(name: String, domain: String, path: String = "/", at now: Int64) -> Cookie? {
    let found = slots(name, domain, path).compactMap { entries[$0]?.cookie }.filter { !$0.isExpired(at: now) }
    return found.first(where: \.isHostOnly) ?? found.first
  }

  /// Puts in a cookie of one's own, with the domain in canonical form. One for all of a public suffix or of an address becomes one for
  /// that host only. It takes the place of one of the same name, domain and path.
  public mutating func set(_ cookie: Cookie, at now: Int64) throws(CookieRefusal) {
    let (cookie, site) = try cookie.checked()
    try put(cookie, site: site, at: now)
  }

  /// Whether there was one.
  @discardableResult
  public mutating func remove(name: String, domain: String, path: String = "/") -> Bool {
    remove(slots(name, domain, path)) > 0
  }

  /// Removes the cookies of `domain` and of all hosts below it, or every cookie, and tells how many there were.
  @discardableResult
  public mutating func removeAll(domain: String? = nil) -> Int {
    guard let domain else { return remove(entries.indices.filter { entries[$0] != nil }) }
    guard let domain = CookieDomain.canonical(domain) else { return 0 }
    return remove(entries.indices.filter { entries[$0].map { CookieDomain.matches($0.cookie.domain, domain) } ?? false })
  }

  private func slots(_ name: String, _ domain: String, _ path: String) -> [Int] {
    guard let domain = CookieDomain.canonical(domain) else { return [] }
    return (sites[CookieOrigin(host: domain).site] ?? []).filter { slot in
      guard let cookie = entries[slot]?.cookie else { return false }
      return cookie.domain == domain && cookie.name.hasBytes(of: name) && cookie.path.hasBytes(of: path)
    }
  }
}
