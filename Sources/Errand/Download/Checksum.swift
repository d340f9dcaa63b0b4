public import Hashing
internal import HttpWire

/// What the bytes of a file must hash to.
public struct Checksum: Sendable, Hashable, CustomStringConvertible {
  public let algorithm: HashAlgorithm
  public let bytes: [UInt8]

  /// nil if `bytes` is not as long as the algorithm's results.
  public init?(_ algorithm: HashAlgorithm, _ bytes: [UInt8]) {
    guard bytes.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.bytes = bytes
  }

  /// `sha-256=HEX`, or the same with base64 (RFC 9530 writes it between colons); also `sha-512`, `sha-512-256`, `sha-1` and `md5`. nil for anything else.
  public init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    var value = text[text.index(after: equals)...]
    if value.count > 1, value.first == ":", value.last == ":" { value = value.dropFirst().dropLast() }
    let algorithm: HashAlgorithm
    switch text[..<equals].lowercased() {
    case "sha-256", "sha256": algorithm = .sha256
    case "sha-512", "sha512": algorithm = .sha512
    case "sha-512-256": algorithm = .sha512Of256
    case "sha-1", "sha1", "sha": algorithm = .sha1
    case "md5": algorithm = .md5
    default: return nil
    }
    guard let bytes = Checksum.hex(value.utf8, algorithm.byteCount) ?? Base64.decode(String(value)) else { return nil }
    self.init(algorithm, bytes)
  }

  /// Such as `sha-256=2cf2…`, in hex.
  public var description: String { "\(name)=\(Checksum.hex(bytes))" }

  private var name: String {
    switch algorithm {
    case .md5: "md5"
    case .sha1: "sha-1"
    case .sha256: "sha-256"
    case .sha512: "sha-512"
    case .sha512Of256: "sha-512-256"
    }
  }

  private static func hex(_ text: Substring.UTF8View, _ count: Int) -> [UInt8]? {
    guard text.count == count * 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var high: UInt8?
    for byte in text {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      if let upper = high {
        bytes.append(upper << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }
}
