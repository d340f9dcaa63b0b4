/// The version of a message. A later minor version of HTTP/1 is read as 1.1 (RFC 9110 2.5).
public enum HttpVersion: UInt8, Sendable, Hashable, Comparable, CustomStringConvertible {
  case http10
  case http11
  case http2

  public static func < (left: HttpVersion, right: HttpVersion) -> Bool { left.rawValue < right.rawValue }

  public var description: String {
    switch self {
    case .http10: "HTTP/1.0"
    case .http11: "HTTP/1.1"
    case .http2: "HTTP/2"
    }
  }
}
