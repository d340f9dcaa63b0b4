/// What the kernel tells of links, addresses and routes (rtnetlink(7)), taken apart. Pure.
enum NetlinkReader {
  /// An address that a link of this machine has.
  struct Address: Hashable, Sendable {
    let link: UInt32
    let prefixLength: UInt8
    let bytes: [UInt8]
  }

  enum Event: Sendable, Equatable {
    /// `isListed`: in answer to the question which there are.
    case addressIsThere(Address, isListed: Bool)
    case addressIsGone(Address)
    /// A link came up or went down, or a route came or went.
    case changed
  }

  private enum MessageType {
    static let newLink: UInt16 = 16
    static let deletedLink: UInt16 = 17
    static let newAddress: UInt16 = 20
    static let deletedAddress: UInt16 = 21
    static let newRoute: UInt16 = 24
    static let deletedRoute: UInt16 = 25
  }

  /// Reads the messages of one datagram; what is not whole ends it.
  static func events(_ bytes: UnsafeRawBufferPointer) -> [Event] {
    var events: [Event] = []
    var rest = bytes[...]
    while let length = word(rest, 0), let kind = half(rest, 4), let flags = half(rest, 6), length >= 16, Int(length) <= rest.count {
      let body = rest.dropFirst(16).prefix(Int(length) - 16)
      if let event = event(kind, isListed: flags & 2 != 0, body) { events.append(event) }
      rest = rest.dropFirst((Int(length) + 3) & ~3)
    }
    return events
  }

  private static func event(_ kind: UInt16, isListed: Bool, _ body: Slice<UnsafeRawBufferPointer>) -> Event? {
    switch kind {
    case MessageType.newAddress: address(body).map { .addressIsThere($0, isListed: isListed) }
    case MessageType.deletedAddress: address(body).map { .addressIsGone($0) }
    case MessageType.newLink: isUpOrDown(body) ? .changed : nil
    case MessageType.deletedLink: .changed
    case MessageType.newRoute, MessageType.deletedRoute: isOfInterest(route: body) ? .changed : nil
    default: nil
    }
  }

  /// An `ifaddrmsg` with its attributes. Addresses that lead no further than the link (fe80::) say nothing about the ways out of the machine.
  private static func address(_ body: Slice<UnsafeRawBufferPointer>) -> Address? {
    guard let prefixLength = byte(body, 1), let scope = byte(body, 3), scope != 253, let link = word(body, 4) else { return nil }
    var peer: [UInt8]?
    var local: [UInt8]?
    forEachAttribute(body.dropFirst(8)) { kind, value in
      if kind == 1 { peer = Array(value) }
      if kind == 2 { local = Array(value) }
    }
    return (local ?? peer).map { Address(link: link, prefixLength: prefixLength, bytes: $0) }
  }

  /// An `ifinfomsg`: whether it tells that the link came up or went down (IFF_UP, IFF_RUNNING), and not of its statistics, say.
  private static func isUpOrDown(_ body: Slice<UnsafeRawBufferPointer>) -> Bool {
    word(body, 12).map { $0 & 0x41 != 0 } ?? false
  }

  /// An `rtmsg`: unicast, and not one to neighbours (fe80::/10) or of the cache.
  private static func isOfInterest(route body: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard byte(body, 7) == 1, let flags = word(body, 8), flags & 0x200 == 0 else { return false }
    var isToNeighbours = false
    forEachAttribute(body.dropFirst(12)) { kind, value in
      if kind == 1, value.count == 16, byte(value, 0) == 0xfe, let second = byte(value, 1), second & 0xc0 == 0x80 { isToNeighbours = true }
    }
    return !isToNeighbours
  }

  private static func forEachAttribute(
    _ bytes: Slice<UnsafeRawBufferPointer>, _ body: (UInt16, Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var rest = bytes
    while let length = half(rest, 0), let kind = half(rest, 2), length >= 4, Int(length) <= rest.count {
      body(kind & 0x3fff, rest.dropFirst(4).prefix(Int(length) - 4))
      rest = rest.dropFirst((Int(length) + 3) & ~3)
    }
  }

  private static func byte(_ bytes: Slice<UnsafeRawBufferPointer>, _ offset: Int) -> UInt8? { bytes.dropFirst(offset).first }

  private static func half(_ bytes: Slice<UnsafeRawBufferPointer>, _ offset: Int) -> UInt16? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset))
    return bytes.count >= 2 ? bytes.loadUnaligned(as: UInt16.self) : nil
  }

  private static func word(_ bytes: Slice<UnsafeRawBufferPointer>, _ offset: Int) -> UInt32? {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(offset))
    return bytes.count >= 4 ? bytes.loadUnaligned(as: UInt32.self) : nil
  }
}
