internal import EventLoop

/// The addresses of one host in the order in which to try them (RFC 8305 section 4): the families in turn, IPv6 first, each family in the order
/// in which its addresses came. Addresses may be added while others are being tried.
struct AddressQueue {
  /// How many addresses of each family are taken; what a name server gives beyond that is not tried.
  static let limitPerFamily = 16

  private var v6: [SocketAddress] = []
  private var v4: [SocketAddress] = []
  private var triedCountV6: UInt8 = 0
  private var triedCountV4: UInt8 = 0
  private var lastWasIPv6 = false

  private var triedV6: Int { Int(triedCountV6) }
  private var triedV4: Int { Int(triedCountV4) }

  /// All that were taken, tried or not.
  var count: Int { v6.count + v4.count }
  var triedCount: Int { triedV6 + triedV4 }
  var isEmpty: Bool { triedCount == count }
  var hasIPv6: Bool { !v6.isEmpty }

  /// Takes what is new. An address that is there already is not tried twice. A Unix socket counts as IPv4.
  mutating func add(_ addresses: [SocketAddress]) {
    for address in addresses {
      if address.isIPv6 {
        if v6.count < AddressQueue.limitPerFamily, !v6.contains(address) { v6.append(address) }
      } else {
        if v4.count < AddressQueue.limitPerFamily, !v4.contains(address) { v4.append(address) }
      }
    }
  }

  /// The next to try, or nil if all were.
  mutating func next() -> SocketAddress? {
    let takesIPv6 = triedV6 < v6.count && (!lastWasIPv6 || triedV4 == v4.count)
    if takesIPv6 {
      lastWasIPv6 = true
      triedCountV6 += 1
      return v6[triedV6 - 1]
    }
    guard triedV4 < v4.count else { return nil }
    lastWasIPv6 = false
    triedCountV4 += 1
    return v4[triedV4 - 1]
  }
}
