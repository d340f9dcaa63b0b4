extension RedirectRules {
  /// The fields of a request that may go along to `target` (RFC 9110 section 15.4): without those that describe a body if that is dropped, and
  /// to another origin without credentials, cookies and Host, whoever set them.
  public static func fields(_ headers: HttpHeaders, for target: RedirectTarget) -> HttpHeaders {
    var kept = HttpHeaders()
    for (name, value) in headers {
      let lowered = name.lowercased()
      if !target.keepsBody, describesBody(lowered) { continue }
      if target.isCrossOrigin, belongsToOrigin(lowered) { continue }
      kept.append(name, value)
    }
    return kept
  }

  private static func describesBody(_ name: String) -> Bool {
    switch name {
    case "transfer-encoding", "trailer", "expect", "digest", "repr-digest", "last-modified": true
    default: name.hasPrefix("content-")
    }
  }

  private static func belongsToOrigin(_ name: String) -> Bool {
    switch name {
    case "authorization", "proxy-authorization", "cookie", "cookie2", "host": true
    default: false
    }
  }
}
