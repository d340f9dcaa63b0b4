extension CacheRules {
  /// Whether a complete response may be stored (RFC 9111 section 3): to a GET that did not go past the cache; with a final status other
  /// than 206, 304, 401 and 407; without `no-store` on either side and `Vary: *`; and with leave to, by Expires, `max-age`, `public`, `private`, or
  /// by its status.
  public static func isStorable(
    _ request: CacheRequest, status: Int, headers: HttpHeaders, policy: CachePolicy = .default
  ) -> Bool {
    policy != .off && request.isCacheable && request.method == .get && mayStay(request, status, headers)
  }

  /// The same without regard to the method, for what is stored already.
  static func mayStay(_ request: CacheRequest, _ status: Int, _ headers: HttpHeaders) -> Bool {
    // Who asks without having said who he is would be told to say it for as long as a 401 is fresh, though he had said it by then.
    guard status >= 200, ![206, 304, 401, 407].contains(status), !request.control.noStore else { return false }
    let control = CacheControl(response: headers)
    if control.mustUnderstand {
      // It says that a status that is understood may be stored in spite of no-store (RFC 9111 5.2.2.3).
      guard isUnderstood(status) else { return false }
    } else if control.noStore {
      return false
    }
    guard CacheVariant(response: headers, to: request.headers) != nil else { return false }
    return control.maxAge != nil || control.isPublic || control.isPrivate || isHeuristicallyCacheable(status) || headers.contains("Expires")
  }

  /// The header fields to store: all but those that concern one connection, named by Connection or known (RFC 9111 3.1).
  static func storable(_ headers: HttpHeaders) -> HttpHeaders {
    var dropped = ofOneConnection
    headers.forEachValue(of: "connection") { value in
      Ascii.forEachElement(value) { name in
        dropped.insert(String(decoding: name.map(Ascii.lower), as: UTF8.self))
        return true
      }
      return true
    }
    return headers.without(dropped)
  }

  private static let ofOneConnection: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization",
  ]

  /// The statuses of RFC 9110 section 15.
  private static func isUnderstood(_ status: Int) -> Bool {
    switch status {
    case 200...206, 300...308, 400...417, 421, 422, 426, 500...505: true
    default: false
    }
  }
}
