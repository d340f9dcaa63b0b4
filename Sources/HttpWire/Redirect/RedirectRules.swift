/// Which responses are redirects, and what is sent where because of them (RFC 9110 section 15.4). Whether to go there is not decided here.
public enum RedirectRules {
  /// Status codes that are followed. 300 is a choice for people, 304 is no redirect, 305 and 306 are out of use.
  public static func isRedirect(_ status: Int) -> Bool {
    switch status {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }

  /// What a response with this status and Location means for a request with `method` to `from`.
  ///
  /// 301 and 302 turn POST into GET and keep other methods with their bodies; 303 turns everything but HEAD into GET, without a body; 307 and 308
  /// keep both. A Location that is missing, empty, not for http(s), or has user information is `malformed`.
  public static func decide(status: Int, method: HttpMethod, from: HttpUrl, location: String?) -> RedirectDecision {
    guard isRedirect(status) else { return .notARedirect }
    guard let location else { return missing(status) }
    return location.withBytes { decide(status: status, method: method, from: from, location: $0) }
  }

  /// The same with the fields of the response: several Locations that differ are `malformed`, and bytes that are not UTF-8 are encoded as they are.
  public static func decide(status: Int, method: HttpMethod, from: HttpUrl, headers: HttpHeaders) -> RedirectDecision {
    guard isRedirect(status) else { return .notARedirect }
    return headers.withValues("location") { values in
      guard let first = values.first else { return missing(status) }
      guard values.allSatisfy({ $0.elementsEqual(first) }) else {
        return .malformed("the response \(status) has \(values.count) Locations that differ")
      }
      return decide(status: status, method: method, from: from, location: first)
    }
  }

  private static func decide(
    status: Int, method: HttpMethod, from: HttpUrl, location: UnsafeRawBufferPointer
  ) -> RedirectDecision {
    guard !Ascii.trimmed(location).isEmpty else { return .malformed("the Location of the response \(status) is empty") }
    do throws(WireError) {
      let url = try HttpUrl(reference: location, relativeTo: from)
      guard url.userInfo == nil || url.userInfo == from.userInfo else {
        return .malformed(
          "the Location of the response \(status) holds credentials (RFC 9110 section 4.2.4)")
      }
      let becomesGet = status == 303 ? method != .head : status <= 302 && method == .post
      return .to(
        RedirectTarget(
          url: url, method: becomesGet ? .get : method, keepsBody: status != 303 && !becomesGet,
          isCrossOrigin: !url.isSameOrigin(as: from), isDowngrade: from.scheme == .https && url.scheme == .http))
    } catch {
      return .malformed("the Location of the response \(status) can't be followed: \(error.message)")
    }
  }

  private static func missing(_ status: Int) -> RedirectDecision { .malformed("the response \(status) has no Location") }
}
