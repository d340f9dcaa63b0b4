import TestSupport
import Testing

@testable import EventLoop

@Suite struct NetlinkReaderTests {
  private func half(_ value: UInt16) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
  private func word(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

  private func message(_ kind: UInt16, flags: UInt16 = 0, _ body: [UInt8]) -> [UInt8] {
    let bytes = word(UInt32(16 + body.count)) + half(kind) + half(flags) + word(0) + word(0) + body
    return bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private func attribute(_ kind: UInt16, _ value: [UInt8]) -> [UInt8] {
    let bytes = half(UInt16(4 + value.count)) + half(kind) + value
    return bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
  }

  private func address(_ bytes: [UInt8], link: UInt32 = 2, prefix: UInt8 = 24, scope: UInt8 = 0) -> [UInt8] {
    [bytes.count == 4 ? 2 : 10, prefix, 0, scope] + word(link) + attribute(1, bytes)
  }

  private func link(change: UInt32) -> [UInt8] { [0, 0, 1, 0] + word(3) + word(0x1043) + word(change) }

  private func route(type: UInt8, flags: UInt32 = 0, to destination: [UInt8] = []) -> [UInt8] {
    [10, 0, 0, 0, 254, 2, 0, type] + word(flags) + (destination.isEmpty ? [] : attribute(1, destination))
  }

  private func events(_ bytes: [UInt8]) -> [NetlinkReader.Event] { bytes.withUnsafeBytes { NetlinkReader.events($0) } }

  @Test func addressesThatComeAndGoAreTold() {
    let known = NetlinkReader.Address(link: 2, prefixLength: 24, bytes: [192, 0, 2, 1])
    let body = address([192, 0, 2, 1])
    #expect(
      events(message(20, flags: 2, body) + message(20, body) + message(21, body))
        == [.addressIsThere(known, isListed: true), .addressIsThere(known, isListed: false), .addressIsGone(known)])
    // With a peer, the local address is the one that counts.
    let pointToPoint = address([192, 0, 2, 9]) + attribute(3, Array("ppp0".utf8)) + attribute(2, [192, 0, 2, 1])
    #expect(events(message(20, pointToPoint)) == [.addressIsThere(known, isListed: false)])
  }

  @Test func addressesThatReachNoFurtherThanTheLinkAreNot() {
    #expect(events(message(20, address([0xfe, 0x80] + Array(repeating: 1, count: 14), scope: 253))).isEmpty)
  }

  @Test func aLinkThatComesUpOrGoesDownIsTold() {
    #expect(events(message(16, link(change: 1))) == [.changed])
    #expect(events(message(16, link(change: 0x40))) == [.changed])
    #expect(events(message(17, link(change: .max))) == [.changed])
    #expect(events(message(16, link(change: 0))).isEmpty)
    #expect(events(message(16, link(change: 0x100))).isEmpty)
  }

  @Test func routesOfTheMachineAreTold() {
    #expect(events(message(24, route(type: 1)) + message(25, route(type: 1))) == [.changed, .changed])
    #expect(events(message(24, route(type: 2))).isEmpty)
    #expect(events(message(24, route(type: 1, flags: 0x200))).isEmpty)
    #expect(events(message(24, route(type: 1, to: [0xfe, 0x80] + Array(repeating: 0, count: 14)))).isEmpty)
    #expect(events(message(24, route(type: 1, to: [0xfd] + Array(repeating: 0, count: 15)))) == [.changed])
  }

  @Test func anythingElseAndWhatIsNotWholeIsPassedOver() {
    #expect(events(message(3, [0, 0, 0, 0]) + message(2, word(.max)) + message(24, route(type: 1))) == [.changed])
    for body in [address([192, 0, 2, 1]), link(change: 1), route(type: 1)] {
      for length in 0..<12 { for kind in [UInt16(16), 20, 24] { _ = events(message(kind, Array(body.prefix(length)))) } }
    }
    #expect(events([]).isEmpty && events([1, 2, 3]).isEmpty && events(word(8) + word(0) + word(0) + word(0)).isEmpty)
    #expect(events(word(4_000) + half(24) + half(0) + word(0) + word(0)).isEmpty)
  }

  @Test func damagedMessagesNeverTrap() {
    var generator = SeededGenerator(seed: 17)
    let whole = message(20, address([192, 0, 2, 1])) + message(16, link(change: 1)) + message(24, route(type: 1, to: [10, 0, 0, 0]))
    for _ in 0..<50_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1..<6, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      _ = events(bytes)
    }
  }
}
