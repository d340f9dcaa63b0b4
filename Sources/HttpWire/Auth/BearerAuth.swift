/// The Bearer scheme (RFC 6750).
public enum BearerAuth {
  /// The longest token, in bytes.
  public static let maximumBytes = 65_536

  /// The value of Authorization. RFC 6750 allows letters, digits, `-._~+/` and `=` at the end; real tokens hold more, so anything visible in ASCII is
  /// taken. Throws `invalid` for an empty token, blanks, other bytes, and more than 64 KiB.
  public static func value(token: String) throws(WireError) -> String { try value(token: Array(token.utf8)) }

  static func value(token: [UInt8]) throws(WireError) -> String {
    guard !token.isEmpty else { throw .invalid("the bearer token is empty") }
    guard token.count <= maximumBytes else { throw .invalid("the bearer token is longer than \(maximumBytes) bytes") }
    guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .invalid("the bearer token holds a blank, a control character or a character outside ASCII")
    }
    return "Bearer " + String(decoding: token, as: UTF8.self)
  }
}
