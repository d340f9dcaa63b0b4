import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("ConnectHandshake")
struct ConnectHandshakeTests {
  private func handshake(
    _ host: String = "origin.test", credentials: ProxyCredentials? = nil, limits: WireLimits = WireLimits(), allowsSurplus: Bool = false
  ) -> ConnectHandshake {
    ConnectHandshake(
      host: host, port: 443, userAgent: "errand/1", credentials: credentials, limits: limits, allowsSurplus: allowsSurplus)
  }

  /// The end of the dialogue, which must be the same however the answer is cut.
  private func end(
    of answer: String, _ handshake: ConnectHandshake, sourceLocation: SourceLocation = #_sourceLocation
  ) -> TunnelStep {
    let traces = traces(handshake, [Array(answer.utf8)])
    for trace in traces { #expect(trace == traces[0], sourceLocation: sourceLocation) }
    return traces[0].end
  }

  private func text(_ handshake: ConnectHandshake) -> String {
    var handshake = handshake
    return String(decoding: handshake.start(), as: UTF8.self)
  }

  @Test("the request has the origin's authority, and nothing of the origin's")
  func request() {
    #expect(text(handshake()) == "CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\nUser-Agent: errand/1\r\n\r\n")
    #expect(text(handshake("2001:db8::1")).hasPrefix("CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n"))
    let credentials = ProxyCredentials(user: Array("u".utf8), password: Array("p".utf8))
    #expect(text(handshake(credentials: credentials)).hasSuffix("\r\nProxy-Authorization: Basic dTpw\r\n\r\n"))
  }

  @Test("a user agent that can't be sent is left out", arguments: ["", "a\r\nX: y", "a\nb", "a\0b"])
  func userAgent(text agent: String) {
    let handshake = ConnectHandshake(host: "a", port: 1, userAgent: agent, credentials: nil)
    #expect(text(handshake) == "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n")
  }

  @Test(
    "a 2xx opens the tunnel at the end of its head, whatever it says of a body",
    arguments: [
      "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.1 204 No\r\n\r\n",
      "HTTP/1.1 299 x\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\n\n",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 x\r\nLink: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
  func opened(answer: String) {
    #expect(end(of: answer, handshake()) == .done)
  }

  @Test("bytes after the answer are refused, in the same piece or a later one")
  func surplus() {
    var handshake = handshake()
    #expect(handshake.received(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)).failure?.code == .malformed)
    handshake = self.handshake()
    #expect(handshake.received(Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) == .done)
    #expect(handshake.received([0x78]).failure?.code == .malformed)
    #expect(handshake.received([0x78]).failure?.code == .malformed)
  }

  @Test("bytes after the answer are kept where the origin may speak first")
  func keptSurplus() {
    let traces = traces(handshake(allowsSurplus: true), [Array("HTTP/1.1 200 OK\r\n\r\nhello".utf8)])
    for trace in traces { #expect(trace.end == .done && trace.surplus == Array("hello".utf8)) }
  }

  @Test(
    "a refusal says what the proxy said",
    arguments: [
      ("403 Filtered", TunnelError.Code.denied, "403 Filtered"), ("405", .denied, "405"), ("302 Found", .denied, "302 Found"),
      ("500 Oops", .denied, "500 Oops"), ("502 Bad Gateway", .unreachable, "502 Bad Gateway"), ("503 x", .unreachable, "503"),
      ("504 x", .unreachable, "504"), ("999 x", .denied, "999"), ("403 \u{1B}[1m\u{202E}é", .denied, "can't be used"),
      ("403 \u{202E}é", .denied, "403 ?????"), ("403 \(String(repeating: "x", count: 200))", .denied, "xxx..."),
    ])
  func refused(line: String, code: TunnelError.Code, words: String) throws {
    let answer = "HTTP/1.1 \(line)\r\nContent-Length: 5\r\nX-Secret: hush\r\n\r\nhello"
    let failure = try #require(end(of: answer, handshake()).failure)
    #expect(failure.message.contains(words) && !failure.message.contains("hush"), "\(failure)")
    #expect(failure.code == (words == "can't be used" ? .malformed : code))
    #expect(failure.message.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    #expect(failure.isAnswer == (failure.code != .malformed))
  }

  @Test("a 407 names the schemes the proxy takes, and whether it got credentials")
  func credentials() throws {
    let answer =
      "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a, Fake b\"\r\nProxy-Authenticate: Negotiate, Digest realm=\"x\", nonce=\"y\"\r\n\r\n"
    let without = try #require(end(of: answer, handshake()).failure)
    #expect(without.code == .credentials && without.isAnswer)
    #expect(
      without.message == "asks for credentials (407 Proxy Authentication Required; it takes Basic, Negotiate, Digest)")
    let hush = ProxyCredentials(user: Array("hush".utf8), password: Array("hush".utf8))
    let with = try #require(end(of: answer, handshake(credentials: hush)).failure)
    #expect(with.code == .credentials && with.message.hasPrefix("does not take the credentials it got (407"))
    #expect(!with.message.contains("hush") && !with.message.contains(hush.basic))
  }

  @Test(
    "the schemes of challenges are found",
    arguments: [
      ([], []), ([""], []), ([",, ,"], []), (["Basic"], ["Basic"]), (["basic realm=x, BASIC realm=y"], ["basic"]),
      (["Digest realm=\"a\\\"b, Basic c\", nonce=1, stale = true , NTLM"], ["Digest", "NTLM"]),
      (["Negotiate abc==, Basic realm=\"x"], ["Negotiate", "Basic"]), (["a=b", "=", "\"", "Basic\u{1B} x"], []),
      ([(0..<20).map { "s\($0)" }.joined(separator: ",")], (0..<8).map { "s\($0)" }),
    ] as [([String], [String])])
  func schemes(values: [String], names: [String]) {
    #expect(AuthenticationSchemes.names(values) == names)
  }

  @Test(
    "what is no response is malformed",
    arguments: [
      "garbage", "\u{5}\u{0}", "SSH-2.0-x\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\n folded: x\r\n\r\n", "\r\n\r\n",
    ])
  func malformed(answer: String) throws {
    let failure = try #require(end(of: answer, handshake()).failure)
    #expect(failure.code == .malformed && !failure.isAnswer)
  }

  @Test("a head above its limits is too large, as are endless interim responses")
  func limits() throws {
    var limits = WireLimits()
    limits.headBytes = 200
    let head = "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 300))\r\n\r\n"
    #expect(end(of: head, handshake(limits: limits)).failure?.code == .tooLarge)
    let interim = String(repeating: "HTTP/1.1 100 x\r\n\r\n", count: 17) + "HTTP/1.1 200 OK\r\n\r\n"
    #expect(end(of: interim, handshake()).failure?.code == .tooLarge)
  }

  @Test("an end of the connection is told with how far the answer was")
  func closed() {
    var handshake = handshake()
    #expect(handshake.closed.code == .closed && handshake.closed.message.contains("without an answer"))
    _ = handshake.received(Array("HTTP/1.1 200".utf8))
    #expect(handshake.closed.message.contains("within its answer"))
  }

  @Test("random bytes never trap")
  func random() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      var handshake = handshake()
      _ = handshake.start()
      for _ in 0..<4 {
        var bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        if Bool.random(using: &random) { bytes = Array("HTTP/1.1 200 ".utf8) + bytes + Array("\r\n\r\n".utf8) }
        _ = handshake.received(bytes)
      }
    }
  }
}
