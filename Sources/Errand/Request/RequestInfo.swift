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
}
