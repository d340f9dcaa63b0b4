import TestSupport
import Testing

@testable import EventLoop

@Suite struct DnsAnswerTests {
  private static let a: [UInt8] =
    [0, 1, 0x81, 0x80, 0, 1, 0, 3, 0, 0, 0, 0, 1, 0x61, 1, 0x62, 0, 0, 1, 0, 1]
    + [0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 20, 0, 4, 1, 0x63, 0xc0, 14]
    + [0xc0, 33, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 2]
    + [0xc0, 33, 0, 1, 0, 1, 0, 0, 0, 50, 0, 4, 192, 0, 2, 1]
  private static let aaaa: [UInt8] =
    [0, 1, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0x61, 1, 0x62, 0, 0, 28, 0, 1]
    + [0xc0, 12, 0, 28, 0, 1, 0, 0, 0, 30, 0, 16, 0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]

  @Test func addressesKeepTheirOrderAndTheLeastTimeToLiveCounts() {
    let v4 = DnsAnswer(status: 0, DnsAnswerTests.a, isIPv6: false)
    let expected = ["192.0.2.2", "192.0.2.1"].compactMap { SocketAddress.ip($0, port: 0) }
    #expect(v4 == .addresses(expected, timeToLive: 20))
    let v6 = DnsAnswer(status: 0, DnsAnswerTests.aaaa, isIPv6: true)
    #expect(v6 == .addresses([SocketAddress.ip("2001:db8::7", port: 0)].compactMap { $0 }, timeToLive: 30))
  }

  @Test func theAnswerToTheOtherQuestionIsNoAnswer() {
    for answer in [DnsAnswer(status: 0, DnsAnswerTests.a, isIPv6: true), DnsAnswer(status: 0, DnsAnswerTests.aaaa, isIPv6: false)] {
      if case .addresses = answer { #expect(Bool(false), "\(answer)") }
    }
  }

  @Test func manyAddressesAreCut() {
    var message = Array(DnsAnswerTests.a[..<21])
    message[6] = 0x03
    message[7] = 0xe8
    for number in 0..<1_000 { message += [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 10, 0, UInt8(number >> 8), UInt8(number & 0xff)] }
    guard case .addresses(let all, timeToLive: 9) = DnsAnswer(status: 0, message, isIPv6: false) else {
      return #expect(Bool(false), "no addresses")
    }
    #expect(all.count == DnsAnswer.maximumAddresses)
  }

  @Test func damagedAnswersNeverTrap() {
    var generator = SeededGenerator(seed: 7)
    for round in 0..<100_000 {
      var bytes = round.isMultiple(of: 2) ? DnsAnswerTests.a : DnsAnswerTests.aaaa
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes = (0..<Int.random(in: 0..<80, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      case 1: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
      default: break
      }
      for _ in 0..<Int.random(in: 0..<5, using: &generator) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      if case .addresses(let all, let timeToLive) = DnsAnswer(status: 0, bytes, isIPv6: !round.isMultiple(of: 2)) {
        #expect(!all.isEmpty && timeToLive >= 0)
      }
    }
    #expect(DnsAnswer(status: 0, [], isIPv6: true) == .failed("the name server's answer is malformed", isTemporary: true))
  }
}
