import TestSupport
import Testing

@testable import EventLoop

@LoopActor
@Suite(.oneAtATime) struct ResumptionTests {
  private func nginx(_ protocols: String, _ more: String = "") async throws -> NginxServer {
    let identity = try await TestCertificates.shared.identity(.localhost)
    return try await NginxServer { ports in
      """
      server {
        listen 127.0.0.1:\(ports[0]) ssl; ssl_protocols \(protocols); \(more)
        ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
        location / { return 200 "[$ssl_session_reused]\\n"; }
      }
      """
    }
  }

  private func context(_ change: (inout TlsSettings) -> Void = { _ in }) async throws -> TlsContext {
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    change(&settings)
    return try TlsContext(settings)
  }

  /// Whether the server, and the client, say that a session was taken up.
  private func connect(_ port: UInt16, _ context: TlsContext, host: String = "localhost", resume: Bool = true) async throws -> Bool {
    let client = try await TlsClient(port, context, host: host, resume: resume)
    defer { client.close() }
    client.send("GET / HTTP/1.0\r\n\r\n")
    #expect(try await client.readToEnd() == "closed")
    let isReused = client.text.hasSuffix("[r]\n")
    #expect(try await client.facts().isResumed == isReused)
    #expect(isReused || client.text.hasSuffix("[.]\n"))
    return isReused
  }

  @Test(arguments: ["TLSv1.3", "TLSv1.2"]) func aSessionIsTakenUpAgain(version: String) async throws {
    let server = try await nginx(version)
    let context = try await context()
    #expect(try await connect(server.port, context) == false)
    for _ in 0..<5 { #expect(try await connect(server.port, context)) }
    #expect(try await connect(server.port, context, resume: false) == false)
  }

  @Test func aSessionIsTakenUpByItsId() async throws {
    let server = try await nginx("TLSv1.2", "ssl_session_tickets off; ssl_session_cache builtin:100;")
    let context = try await context()
    #expect(try await connect(server.port, context) == false)
    for _ in 0..<3 { #expect(try await connect(server.port, context)) }
  }

  @Test func aSessionBelongsToItsHostPortAndSettings() async throws {
    let server = try await nginx("TLSv1.3")
    let other = try await nginx("TLSv1.3")
    let context = try await context()
    #expect(try await connect(server.port, context) == false)
    #expect(try await connect(server.port, context, host: "127.0.0.1") == false)
    #expect(try await connect(other.port, context) == false)
    #expect(try await connect(server.port, try await self.context { $0.minVersion = .tls13 }) == false)
    #expect(try await connect(server.port, context))
  }

  @Test func noSessionIsKeptWhenResumptionIsOff() async throws {
    let server = try await nginx("TLSv1.3")
    let context = try await context()
    #expect(try await connect(server.port, context, resume: false) == false)
    #expect(try await connect(server.port, context) == false)
  }

  @Test func aTicketOfTlsThirteenIsShownOnce() async throws {
    let server = try await nginx("TLSv1.3")
    let context = try await context()
    #expect(try await connect(server.port, context) == false)
    let key = TlsSessionCache.Key(host: "localhost", port: server.port)
    let held = context.sessions.withLock { $0.count }
    #expect(held >= 1)
    var given: [TlsSession] = []
    while let session = context.sessions.withLock({ $0.take(key) }) { given.append(session) }
    #expect(given.count == held)
    #expect(Set(given.map { ObjectIdentifier($0) }).count == held)
    #expect(given.allSatisfy { $0.isSingleUse })
    #expect(try await connect(server.port, context) == false)
  }

  @Test func aServerThatForgotItsKeysIsStillReached() async throws {
    let first = try await nginx("TLSv1.3")
    let second = try await nginx("TLSv1.3")
    let context = try await context()
    #expect(try await connect(first.port, context) == false)
    // A ticket of one server, shown to the other.
    let session = try #require(context.sessions.withLock { $0.take(TlsSessionCache.Key(host: "localhost", port: first.port)) })
    context.sessions.withLock { $0.add(session, for: TlsSessionCache.Key(host: "localhost", port: second.port)) }
    #expect(try await connect(second.port, context) == false)
    #expect(try await connect(second.port, context))
  }

  @Test func sessionsAreBoundedPerHostAndInAll() async throws {
    let server = try await nginx("TLSv1.3")
    let context = try await context()
    _ = try await connect(server.port, context)
    let session = try #require(context.sessions.withLock { $0.take(TlsSessionCache.Key(host: "localhost", port: server.port)) })
    var cache = TlsSessionCache()
    for _ in 0..<100 { cache.add(session, for: TlsSessionCache.Key(host: "a", port: 1)) }
    #expect(cache.count == TlsSessionCache.maxSessionsPerHost)
    for port in 0..<UInt16(3_000) { cache.add(session, for: TlsSessionCache.Key(host: "b", port: port)) }
    #expect(cache.count == TlsSessionCache.maxSessions)
    #expect(cache.take(TlsSessionCache.Key(host: "a", port: 1)) == nil)
    #expect(cache.take(TlsSessionCache.Key(host: "b", port: 2_999)) != nil)
    cache.remove(TlsSessionCache.Key(host: "b", port: 2_998))
    #expect(cache.count == TlsSessionCache.maxSessions - 2)
    for port in 0..<UInt16(3_000) { while cache.take(TlsSessionCache.Key(host: "b", port: port)) != nil {} }
    #expect(cache.count == 0)
  }

  @Test func nothingIsLeftOfStreamsThatAreGone() async throws {
    let server = try await nginx("TLSv1.3")
    let context = try await context()
    let before = TlsStream.openCount
    for _ in 0..<20 { _ = try await connect(server.port, context) }
    #expect(TlsStream.openCount == before)
    weak var gone: TlsStream?
    do {
      let stream = TlsStream(context, over: ByteStream(descriptor: -1), host: "localhost", port: 1, alpn: [], resume: true)
      gone = stream
      guard case .failed = stream.handshake() else {
        Issue.record("a handshake on no socket")
        return
      }
    }
    #expect(gone == nil)
    #expect(TlsStream.openCount == before)
  }
}
