/// A request method (RFC 9110 9): a token, compared with its case.
public struct HttpMethod: Hashable, Sendable, CustomStringConvertible {
  /// The token.
  public let rawValue: String

  /// Throws `invalid` if `token` is empty, is longer than 64 bytes or holds anything but token characters.
  public init(_ token: String) throws(WireError) {
    let valid = token.withBytes { bytes in !bytes.isEmpty && bytes.count <= 64 && bytes.allSatisfy(Ascii.isToken) }
    guard valid else { throw .invalid("the method is not a token") }
    rawValue = token
  }

  init(unchecked token: String) { rawValue = token }

  public static let get = HttpMethod(unchecked: "GET")
  public static let head = HttpMethod(unchecked: "HEAD")
  public static let post = HttpMethod(unchecked: "POST")
  public static let put = HttpMethod(unchecked: "PUT")
  public static let delete = HttpMethod(unchecked: "DELETE")
  public static let patch = HttpMethod(unchecked: "PATCH")
  public static let options = HttpMethod(unchecked: "OPTIONS")
  public static let trace = HttpMethod(unchecked: "TRACE")
  public static let connect = HttpMethod(unchecked: "CONNECT")

  /// Asks for no change of state (RFC 9110 9.2.1).
  public var isSafe: Bool {
    switch rawValue {
    case "GET", "HEAD", "OPTIONS", "TRACE": true
    default: false
    }
  }

  /// Sending it twice means the same as sending it once (RFC 9110 9.2.2).
  public var isIdempotent: Bool { isSafe || rawValue == "PUT" || rawValue == "DELETE" }

  public var description: String { rawValue }
}
