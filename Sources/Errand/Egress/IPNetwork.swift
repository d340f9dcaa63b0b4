/// An IPv4 or IPv6 network, such as `169.254.0.0/16`; an address alone is the network of just that.
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
  private let octets: [UInt8]
  private let bits: Int

  /// nil for what is no network.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let octets = ipOctets(String(first)) else { return nil }
    var bits = octets.count * 8
    if parts.count == 2 {
      guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let given = Int(parts[1]),
        given <= bits
      else { return nil }
      bits = given
    }
    self.init(octets: octets, bits: bits)
  }

  init(octets: [UInt8], bits: Int) {
    self.octets = octets
    self.bits = bits
  }

  /// Such as `10.0.0.0/8`.
  public var description: String { "\(ipText(octets) ?? "?")/\(bits)" }

  func contains(_ address: [UInt8]) -> Bool {
    guard address.count == octets.count else { return false }
    for (index, (one, other)) in zip(address, octets).enumerated() {
      let left = bits - index * 8
      if left <= 0 { return true }
      let mask: UInt8 = left >= 8 ? 0xFF : ~(0xFF >> UInt8(left))
      if (one ^ other) & mask != 0 { return false }
    }
    return true
  }

  /// The IPv4 addresses that an IPv6 address stands for.
  static func embedded(in address: [UInt8]) -> [[UInt8]] {
    guard address.count == 16 else { return [] }
    let last = Array(address[12...])
    let isZeroTo = { (end: Int) in address[..<end].allSatisfy { $0 == 0 } }
    // ::ffff:a.b.c.d, ::ffff:0:a.b.c.d, and the compatible form that nothing should use any more.
    if isZeroTo(10), address[10] == 0xFF, address[11] == 0xFF { return [last] }
    if isZeroTo(8), address[8] == 0xFF, address[9] == 0xFF, address[10] == 0, address[11] == 0 { return [last] }
    if isZeroTo(12), last[0] != 0 { return [last] }
    // 64:ff9b::/96 and 64:ff9b:1::/48.
    if Array(address[..<4]) == [0, 0x64, 0xFF, 0x9B] { return [last] }
    if address[0] == 0x20, address[1] == 0x02 { return [Array(address[2..<6])] }
    return []
  }
}
