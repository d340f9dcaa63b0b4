public import HttpWire

/// What becomes of a response that sends a request elsewhere (RFC 9110 section 15.4).
public enum RedirectPolicy: String, Sendable, Hashable, CaseIterable {
  /// The request goes on there.
  case follow
  /// The response is the outcome.
  case manual
  /// Followed within the origin (scheme, host and port); one that leads out of it is the outcome.
  case sameOrigin = "same-origin"
}

/// One redirect that was followed.
public struct RedirectHop: Sendable, Hashable {
  /// Of the response that sent the request on.
  public let status: Int
  /// What was asked, and where.
  public let method: HttpMethod
  public let url: String
  /// What is asked next, and where.
  public let nextMethod: HttpMethod
  public let nextUrl: String
}
