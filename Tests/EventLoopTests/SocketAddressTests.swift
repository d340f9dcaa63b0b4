import EventLoop
import Testing

@Suite struct SocketAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1:80", true), ("127.9.9.9", "127.9.9.9:80", true), ("10.0.0.255", "10.0.0.255:80", false),
    ("0.0.0.0", "0.0.0.0:80", false), ("::1", "[::1]:80", true), ("::", "[::]:80", false), ("2001:DB8::a", "[2001:db8::a]:80", false),
    ("2001:db8:0:0:0:0:0:1", "[2001:db8::1]:80", false), ("::ffff:1.2.3.4", "[::ffff:1.2.3.4]:80", false),
  ])
  func aLiteralIsReadAndWritten(literal: String, text: String, isLoopback: Bool) throws {
    let address = try #require(SocketAddress.ip(literal, port: 80))
    #expect(address.description == text)
    #expect(address.port == 80)
    #expect(address.path == nil)
    #expect(address.isLoopback == isLoopback)
    #expect(address.with(port: 81).port == 81)
    #expect(address.with(port: 81).with(port: 80) == address)
  }

  @Test(arguments: [
    "", "localhost", "1.2.3", "1.2.3.256", "01.2.3.4", "1.2.3.4.5", "1.2.3.4 ", " 1.2.3.4", "[::1]", ":::", "1::2::3", "::g", "fe80::1%lo",
    "0x7f.0.0.1",
    "127.1", "1.2.3.4\0", "::1\0x",
  ])
  func whatIsNoLiteralIsNone(text: String) {
    #expect(SocketAddress.ip(text, port: 80) == nil)
  }

  @Test func unixPathsHaveALimit() throws {
    let longest = "/" + String(repeating: "p", count: 106)
    let address = try SocketAddress.unix(longest)
    #expect(address.path == longest)
    #expect(address.port == nil)
    #expect(address.isLoopback)
    #expect(address.description == "unix:" + longest)
    #expect(address.with(port: 3) == address)
    for wrong in [longest + "p", "", "a\0b"] { #expect(throws: SystemError.self) { try SocketAddress.unix(wrong) } }
  }

  @Test func addressesAreEqualByWhatTheyName() {
    #expect(SocketAddress.loopback(port: 1) == SocketAddress.ip("127.0.0.1", port: 1))
    #expect(SocketAddress.loopback(port: 1, v6: true) == SocketAddress.ip("::1", port: 1))
    #expect(SocketAddress.loopback(port: 1) != SocketAddress.loopback(port: 2))
    #expect(SystemError(errno: 111, call: "connect").description == "connect: Connection refused")
  }
}
