public import HttpWire

/// What a delegate is told of the request that an event belongs to.
public struct RequestInfo: Sendable, Hashable {
  public let handle: RequestHandle
  /// As sent, with params, without a password.
  public let url: String
  public let method: HttpMethod
  public let tag: Int?
  public let key: String?
  public let delegateName: String?
  public let owner: String?

  public init(
    handle: RequestHandle, url: String, method: HttpMethod, tag: Int? = nil, key: String? = nil, delegateName: String? = nil,
    owner: String? = nil
  ) {
    self.handle = handle
    self.url = url
    self.method = method
    self.tag = tag
    self.key = key
    self.delegateName = delegateName
    self.owner = owner
  }
}

extension RequestInfo {
  /// A URL that could not be read, without what may be a password in it.
  static func withoutUserInfo(_ url: String) -> String {
    guard let at = url.lastIndex(of: "@") else { return url }
    let scheme = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    return String(url[..<min(scheme, at)]) + "***" + String(url[at...])
  }
}
