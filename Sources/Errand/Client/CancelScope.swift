internal import EventLoop

/// Which requests to cancel: those that match every part that is set. A scope with no part set matches none; ``all`` matches each one.
public struct CancelScope: Sendable {
  public var tag: Int?
  public var key: String?
  public var keyPrefix: String?
  /// The delegate's name.
  public var delegateName: String?
  /// The URL's host, without port, in lower case; IPv6 without brackets.
  public var host: String?
  public var owner: String?
  /// The delegate object itself.
  public weak var delegate: (any HttpClientDelegate)?
  private var hasDelegate = false
  private var isAll = false

  public init(
    tag: Int? = nil, key: String? = nil, keyPrefix: String? = nil, delegateName: String? = nil, host: String? = nil, owner: String? = nil,
    delegate: (any HttpClientDelegate)? = nil
  ) {
    self.tag = tag
    self.key = key
    self.keyPrefix = keyPrefix
    self.delegateName = delegateName
    self.host = host
    self.owner = owner
    self.delegate = delegate
    hasDelegate = delegate != nil
  }

  /// Every request of the client.
  public static var all: CancelScope {
    var scope = CancelScope()
    scope.isAll = true
    return scope
  }

  /// Whether the other one names the same parts.
  func isSame(as other: CancelScope) -> Bool {
    tag == other.tag && key == other.key && keyPrefix == other.keyPrefix && delegateName == other.delegateName && host == other.host
      && owner == other.owner && hasDelegate == other.hasDelegate && delegate === other.delegate && isAll == other.isAll
  }

  @LoopActor func matches(_ item: RequestItem) -> Bool {
    if isAll { return true }
    if tag == nil, key == nil, keyPrefix == nil, delegateName == nil, host == nil, owner == nil, !hasDelegate { return false }
    if let tag, item.info.tag != tag { return false }
    if let key, item.info.key != key { return false }
    if let keyPrefix, item.info.key?.hasPrefix(keyPrefix) != true { return false }
    if let delegateName, item.info.delegateName != delegateName { return false }
    if let host, item.origin.host != host { return false }
    if let owner, item.info.owner != owner { return false }
    if hasDelegate {
      guard let delegate, item.ticket.delegate === delegate else { return false }
    }
    return true
  }
}
