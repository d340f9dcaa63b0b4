/// Bounds on what a jar keeps and sends.
public struct CookieLimits: Sendable, Equatable {
  /// Cookies of one registrable domain, or of one address. Beyond it cookies go: expired ones, then those not secure, each time the one
  /// whose last use is longest ago.
  public var cookiesPerDomain: Int = 180
  /// Cookies in all; the same go beyond it.
  public var cookies: Int = 3_000
  /// The value of a Cookie field, in bytes: a cookie that does not fit is left out. Few servers take more.
  public var headerBytes: Int = 16_384

  /// Name and value together (RFC 6265bis 5.6).
  public static let nameAndValueBytes = 4_096
  /// The value of an attribute; a longer one is as if it were not there (RFC 6265bis 5.6).
  public static let attributeBytes = 1_024
  /// 400 days: no server makes a cookie live longer (RFC 6265bis 5.5).
  public static let ageSeconds: Int64 = 400 * 86_400

  /// The defaults.
  public init() {}
}
