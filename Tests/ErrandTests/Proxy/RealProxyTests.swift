import EventLoop
import TestSupport
import Testing

@testable import Errand

/// The dialogues with proxies that others wrote; what opened is tried with a request.
@Suite("The dialogues with tinyproxy and Dante", .oneAtATime)
@LoopActor
struct RealProxyTests {
  private static let login = ProxyCredentials(user: Array("user".utf8), password: Array("hush".utf8))
  private static let wrong = ProxyCredentials(user: Array("user".utf8), password: Array("wrong".utf8))

  /// Runs the dialogue; without a failure the tunnel leads to `peer`.
  private func open(_ handshake: some TunnelHandshake, proxy: UInt16) async throws -> TunnelError? {
    var handshake = handshake
    let socket = try TestSocket(.loopback(port: proxy))
    defer { socket.close() }
    socket.send(handshake.start())
    while true {
      try await socket.wait("an answer of the proxy") { !socket.received.isEmpty }
      if socket.received.isEmpty { return handshake.closed }
      switch handshake.received(try await socket.read(socket.received.count)) {
      case .needsMore: continue
      case .send(let bytes): socket.send(bytes)
      case .failed(let error): return error
      case .done:
        let response = try await socket.exchange("GET /through HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(response.text == "/through")
        return nil
      }
    }
  }

  private func withOrigin(_ body: (UInt16) async throws -> Void) async throws {
    let peer = ScriptedPeer { $0.answer($1.target) }
    try peer.start(on: .loopback(port: 0))
    do {
      try await body(peer.address.port ?? 0)
    } catch {
      await peer.stop()
      throw error
    }
    await peer.stop()
  }

  private func connect(_ host: String, _ port: UInt16, _ credentials: ProxyCredentials? = nil) -> ConnectHandshake {
    ConnectHandshake(host: host, port: port, userAgent: "errand/1", credentials: credentials)
  }

  private func socks(_ host: String, _ port: UInt16, _ credentials: ProxyCredentials? = nil) throws -> Socks5Handshake {
    try Socks5Handshake(to: .init(host: host), port: port, credentials: credentials)
  }

  @Test("tinyproxy opens a tunnel, or says why not")
  func tinyproxy() async throws {
    try await withOrigin { origin in
      try await Tinyproxy.with(["ConnectPort \(origin)", "ConnectPort 2"]) { proxy in
        #expect(try await open(connect("127.0.0.1", origin), proxy: proxy) == nil)
        #expect(try await open(connect("localhost", origin), proxy: proxy) == nil)
        let forbidden = try #require(try await open(connect("127.0.0.1", 1), proxy: proxy))
        #expect(forbidden.code == .denied && forbidden.message.contains("403"), "\(forbidden)")
        let nobody = try #require(try await open(connect("127.0.0.1", 2), proxy: proxy))
        #expect(nobody.isAnswer, "\(nobody)")
      }
    }
  }

  @Test("tinyproxy asks for credentials, and takes the right ones")
  func tinyproxyLogin() async throws {
    try await withOrigin { origin in
      try await Tinyproxy.with(["BasicAuth user hush"]) { proxy in
        #expect(try await open(connect("127.0.0.1", origin, Self.login), proxy: proxy) == nil)
        let without = try #require(try await open(connect("127.0.0.1", origin), proxy: proxy))
        #expect(without.code == .credentials && without.message.contains("takes Basic"), "\(without)")
        let wrong = try #require(try await open(connect("127.0.0.1", origin, Self.wrong), proxy: proxy))
        #expect(wrong.isAnswer, "\(wrong)")
      }
    }
  }

  @Test("Dante opens a tunnel to addresses and names, or says why not")
  func dante() async throws {
    try await withOrigin { origin in
      try await Dante.with { proxy in
        #expect(try await open(socks("127.0.0.1", origin), proxy: proxy) == nil)
        #expect(try await open(socks("localhost", origin), proxy: proxy) == nil)
        #expect(try await open(socks("127.0.0.1", origin, Self.login), proxy: proxy) == nil)
        let forbidden = try await open(socks("127.0.0.1", 1), proxy: proxy)
        #expect(forbidden == TunnelError(.denied, "does not allow this connection by its rules (127.0.0.1 port 1)"))
        let nobody = try await open(socks("127.0.0.1", 2), proxy: proxy)
        #expect(nobody == TunnelError(.unreachable, "was refused the connection by the host (127.0.0.1 port 2)"))
      }
    }
  }

  @Test("Dante asks for credentials, and takes the right ones", .enabled("needs a mount namespace") { try await Dante.takesLogins() })
  func danteLogin() async throws {
    try await withOrigin { origin in
      try await Dante.with(login: ("user", "hush")) { proxy in
        #expect(try await open(socks("127.0.0.1", origin, Self.login), proxy: proxy) == nil)
        let without = try await open(socks("127.0.0.1", origin), proxy: proxy)
        #expect(without == TunnelError(.credentials, "does not let in without credentials"))
        let wrong = try await open(socks("127.0.0.1", origin, Self.wrong), proxy: proxy)
        #expect(wrong == TunnelError(.credentials, "does not take the credentials it got (status 1)"))
      }
    }
  }
}
