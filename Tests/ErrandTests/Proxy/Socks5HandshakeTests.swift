import TestSupport
import Testing

@testable import Errand

@Suite("Socks5Handshake")
struct Socks5HandshakeTests {
  static let login = ProxyCredentials(user: Array("user".utf8), password: Array("hush".utf8))
  static let okV4: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1F, 0x90]

  private func handshake(
    _ target: Socks5Handshake.Destination = .name("origin.test"), login: ProxyCredentials? = nil, allowsSurplus: Bool = false
  ) throws -> Socks5Handshake {
    try Socks5Handshake(to: target, port: 443, credentials: login, allowsSurplus: allowsSurplus)
  }

  /// The dialogue, which must be the same however the answers are cut.
  private func trace(
    _ handshake: Socks5Handshake, _ rounds: [[UInt8]], sourceLocation: SourceLocation = #_sourceLocation
  ) -> HandshakeTrace {
    let traces = traces(handshake, rounds)
    for trace in traces { #expect(trace == traces[0], sourceLocation: sourceLocation) }
    return traces[0]
  }

  @Test("without credentials: greeting, then the request for a name")
  func name() throws {
    let trace = trace(try handshake(), [[5, 0], Self.okV4])
    let request: [UInt8] = [5, 1, 0, 3, 11] + Array("origin.test".utf8) + [0x01, 0xBB]
    #expect(trace.sent == [[5, 1, 0], request])
    #expect(trace.end == .done && trace.surplus == [])
  }

  @Test("addresses go as such")
  func addresses() throws {
    let v4 = trace(try handshake(.init(host: "10.1.2.3")), [[5, 0], Self.okV4])
    #expect(v4.sent.last == [5, 1, 0, 1, 10, 1, 2, 3, 0x01, 0xBB] && v4.end == .done)
    let v6 = trace(try handshake(.init(host: "2001:db8::1")), [[5, 0], [5, 0, 0, 4] + [UInt8](repeating: 0, count: 18)])
    let octets: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    #expect(v6.sent.last == [5, 1, 0, 4] + octets + [0x01, 0xBB] && v6.end == .done)
    #expect(Socks5Handshake.Destination(host: "a.test") == .name("a.test"))
  }

  @Test("the reply's address may be of any kind", arguments: [[1] + [0, 0, 0, 0], [3, 0], [3, 255] + .init(repeating: 120, count: 255)])
  func replies(address: [UInt8]) throws {
    #expect(trace(try handshake(), [[5, 0], [5, 0, 0] + address + [0, 0]]).end == .done)
  }

  @Test("with credentials: both ways are offered, and the proxy chooses")
  func login() throws {
    let chosen = trace(try handshake(login: Self.login), [[5, 2], [1, 0], Self.okV4])
    let login: [UInt8] = [1, 4] + Array("user".utf8) + [4] + Array("hush".utf8)
    #expect(chosen.sent.prefix(2) == [[5, 2, 0, 2], login])
    #expect(chosen.sent.count == 3 && chosen.end == .done)
    let free = trace(try handshake(login: Self.login), [[5, 0], Self.okV4])
    #expect(free.sent.count == 2 && free.end == .done)
    let odd = trace(try handshake(login: Self.login), [[5, 2], [5, 0], Self.okV4])
    #expect(odd.end == .done, "the version of the login's answer is not looked at")
  }

  @Test("credentials of 255 bytes go, and an empty password")
  func lengths() throws {
    let long = ProxyCredentials(user: .init(repeating: 117, count: 255), password: .init(repeating: 112, count: 255))
    #expect(trace(try handshake(login: long), [[5, 2]]).sent.last?.count == 513)
    let empty = ProxyCredentials(user: [117], password: [])
    #expect(trace(try handshake(login: empty), [[5, 2]]).sent.last == [1, 1, 117, 0])
  }

  @Test("what SOCKS 5 has no form for is refused before anything is sent")
  func unsupported() {
    let longName = String(repeating: "a", count: 256)
    let long = ProxyCredentials(user: .init(repeating: 117, count: 256), password: [])
    #expect(throws: TunnelError.self) { try handshake(.name(longName)) }
    #expect(throws: Never.self) { try handshake(.name(String(repeating: "a", count: 255))) }
    #expect(throws: TunnelError.self) { try handshake(.name("")) }
    #expect(throws: TunnelError.self) { try handshake(.address([1, 2, 3])) }
    #expect(throws: TunnelError.self) { try handshake(login: long) }
    #expect(throws: TunnelError.self) { try handshake(login: ProxyCredentials(user: [], password: [1])) }
  }

  @Test(
    "each reply code has its words",
    arguments: [
      (1, "failed without saying why", TunnelError.Code.unreachable), (2, "does not allow this connection by its rules", .denied),
      (3, "can't reach the network", .unreachable), (4, "can't reach the host", .unreachable),
      (5, "was refused the connection by the host", .unreachable), (6, "can't reach the host: TTL expired", .unreachable),
      (7, "does not know the command CONNECT", .denied), (8, "does not take this kind of address", .denied),
      (9, "failed with an unknown code (9)", .unreachable), (255, "failed with an unknown code (255)", .unreachable),
    ])
  func codes(reply: UInt8, words: String, code: TunnelError.Code) throws {
    for rest: [UInt8] in [[], [0], [0, 1, 0, 0, 0, 0, 0, 0], [0, 99, 0, 0]] {
      let failure = try #require(trace(try handshake(), [[5, 0], [5, reply] + rest]).end.failure)
      #expect(failure == TunnelError(code, "\(words) (origin.test port 443)") && failure.isAnswer)
    }
  }

  @Test("a proxy that wants credentials, does not take them, or takes other ways alone")
  func credentials() throws {
    let without = try #require(trace(try handshake(), [[5, 0xFF]]).end.failure)
    #expect(without == TunnelError(.credentials, "does not let in without credentials"))
    let other = try #require(trace(try handshake(login: Self.login), [[5, 0xFF]]).end.failure)
    #expect(other == TunnelError(.credentials, "takes no user and password"))
    let wrong = try #require(trace(try handshake(login: Self.login), [[5, 2], [1, 1]]).end.failure)
    #expect(wrong == TunnelError(.credentials, "does not take the credentials it got (status 1)"))
    #expect(!"\(wrong)".contains("hush"))
  }

  @Test(
    "what is not SOCKS 5 is malformed",
    arguments: [
      ([[4, 0]], "does not speak SOCKS 5"), ([Array("HTTP/1.1 400".utf8)], "does not speak SOCKS 5"), ([[5, 1]], "not offered (1)"),
      ([[5, 2]], "not offered (2)"), ([[5, 0], [4, 0, 0, 1, 0, 0, 0, 0, 0, 0]], "no SOCKS 5 reply"), ([[5, 0], [0]], "no SOCKS 5 reply"),
      ([[5, 0], [5, 0, 0, 2, 0]], "unknown kind (2)"), ([[5, 0], [5, 0, 0, 0, 0]], "unknown kind (0)"),
      ([[5, 0], okV4 + [0]], "more than its reply"),
    ] as [([[UInt8]], String)])
  func malformed(rounds: [[UInt8]], words: String) throws {
    let failure = try #require(trace(try handshake(), rounds).end.failure)
    #expect(failure.code == .malformed && failure.message.contains(words) && !failure.isAnswer, "\(failure)")
  }

  @Test("bytes after the reply are kept where the origin may speak first")
  func surplus() throws {
    for trace in traces(try handshake(allowsSurplus: true), [[5, 0], Self.okV4 + Array("hello".utf8)]) {
      #expect(trace.end == .done && trace.surplus == Array("hello".utf8))
    }
  }

  @Test("a proxy that answers before it is asked is malformed")
  func early() throws {
    #expect(HandshakeTrace(try handshake(), [[5, 0, 5]]).end.failure?.message == "answered before it was asked")
    let login = HandshakeTrace(try handshake(login: Self.login), [[5, 2], [1, 0, 5]])
    #expect(login.end.failure?.code == .malformed)
  }

  @Test("an end of the connection is told with how far the dialogue was")
  func closed() throws {
    var handshake = try handshake(login: Self.login)
    #expect(handshake.closed.code == .closed && handshake.closed.message.contains("greeting"))
    _ = handshake.received([5, 2])
    #expect(handshake.closed.message.contains("credentials"))
    _ = handshake.received([1, 0])
    #expect(handshake.closed.message.contains("origin.test port 443"))
  }

  @Test("random bytes never trap")
  func random() throws {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<5_000 {
      var handshake = try handshake(login: Bool.random(using: &random) ? Self.login : nil)
      _ = handshake.start()
      for _ in 0..<8 {
        let isLikely = Bool.random(using: &random)
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...6, using: &random) { bytes.append(.random(in: 0...(isLikely ? 5 : 255), using: &random)) }
        _ = handshake.received(bytes)
      }
    }
  }
}
