/// What a response means for the request that it answers.
public enum RedirectDecision: Sendable, Equatable {
  /// The response is the answer.
  case notARedirect
  /// A redirect that leads nowhere; the words say why, and hold of the peer's bytes only what is escaped and cut.
  case malformed(String)
  /// The request is to be sent there.
  case to(RedirectTarget)
}

/// Where a redirect leads, and as what.
public struct RedirectTarget: Sendable, Equatable {
  /// Without a fragment. It has user information only if the Location is relative and the request's URL has.
  public var url: HttpUrl
  /// The request's, or GET in its place.
  public var method: HttpMethod
  /// The body goes along. Where it does not, the fields that describe it may not either.
  public var keepsBody: Bool
  /// Scheme, host or port differ: credentials stay behind.
  public var isCrossOrigin: Bool
  /// From https to http.
  public var isDowngrade: Bool

  public init(url: HttpUrl, method: HttpMethod, keepsBody: Bool, isCrossOrigin: Bool, isDowngrade: Bool) {
    self.url = url
    self.method = method
    self.keepsBody = keepsBody
    self.isCrossOrigin = isCrossOrigin
    self.isDowngrade = isDowngrade
  }
}
