/// Names one request for as long as its client lives, and never another one. Opaque: its text is for passing on, not for reading.
public struct RequestHandle: Hashable, Sendable, Comparable, LosslessStringConvertible {
  public let id: UInt64

  public init(id: UInt64) {
    self.id = id
  }

  /// The handle written as `description`; nil for anything else.
  public init?(_ description: String) {
    guard !description.isEmpty, description.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = UInt64(description) else {
      return nil
    }
    self.id = id
  }

  public var description: String { String(id) }

  public static func < (left: RequestHandle, right: RequestHandle) -> Bool { left.id < right.id }
}
