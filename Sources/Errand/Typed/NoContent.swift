/// The answer of a call that answers nothing of interest: any body, or none, is one.
public struct NoContent: Decodable, Sendable, Hashable {
  public init() {}
  public init(from decoder: any Decoder) {}
}

/// Types that a response without a body can be read as. Others fail with `not_json` then.
public protocol BodilessDecodable: Decodable {
  /// What a response without a body is read as.
  static var fromNoBody: Self { get }
}

extension NoContent: BodilessDecodable {
  public static var fromNoBody: NoContent { NoContent() }
}

/// Nil: no body, or an envelope without data.
extension Optional: BodilessDecodable where Wrapped: Decodable {
  public static var fromNoBody: Wrapped? { nil }
}
