import EventLoop
import TestSupport
import Testing

/// The hosts file and resolv.conf, and what happens when they change.
@LoopActor
@Suite(.oneAtATime, .timeLimit(.minutes(1))) final class ResolverFilesTests {
  private let scene: ResolverScene
  private var server: DnsServer { scene.server }
  private var directory: TemporaryDirectory { scene.directory }

  init() async throws {
    scene = try ResolverScene()
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
  }

  private func resolver(_ change: (inout ResolverSettings) -> Void = { _ in }) -> CaresResolver {
    scene.resolver {
      $0.fileCheckInterval = .zero
      change(&$0)
    }
  }

  private func texts(_ host: String, _ resolver: CaresResolver) async throws -> [String] {
    var results: [Result<[SocketAddress], ResolveError>] = []
    _ = resolver.resolve(host) { results.append($0) }
    try await waitUntil("the answer for \(host)") { !results.isEmpty }
    return try #require(results.first).get().map(\.description)
  }

  @Test func theHostsFileGoesBeforeTheServers() async throws {
    try directory.write("hosts", Array("192.0.2.7 Host.example\n2001:db8::7 host.example\n".utf8))
    let resolver = resolver()
    #expect(try await texts("host.example", resolver) == ["192.0.2.7:0", "[2001:db8::7]:0"])
    #expect(try await texts("HOST.EXAMPLE.", resolver) == ["192.0.2.7:0", "[2001:db8::7]:0"])
    #expect(server.questions.isEmpty)
    #expect(try await texts("other.example", resolver) == ["192.0.2.1:0"])
  }

  @Test func aChangeOfTheHostsFileIsSeenByTheNextResolution() async throws {
    let resolver = resolver()
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
    try directory.write("hosts", Array("192.0.2.7 host.example\n".utf8))
    #expect(try await texts("host.example", resolver) == ["192.0.2.7:0"])
    try directory.write("hosts", Array("192.0.2.77 host.example\n".utf8))
    #expect(try await texts("host.example", resolver) == ["192.0.2.77:0"])
    try directory.write("hosts", [])
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
  }

  @Test func aChangeOfTheConfigurationIsSeenAndAnswersOfBeforeAreForgotten() async throws {
    try directory.write("resolv.conf", Array("search one.example\n".utf8))
    let resolver = resolver()
    _ = try await texts("host", resolver)
    try directory.write("resolv.conf", Array("search other.example\n".utf8))
    _ = try await texts("host", resolver)
    #expect(server.questions.map(\.name) == ["host.one.example", "host.one.example", "host.other.example", "host.other.example"])
    #expect(resolver.answerCount == 2)
  }

  @Test func whatWasAskedBeforeAChangeIsStillAnswered() async throws {
    server.answer = { _ in .hold }
    let resolver = resolver()
    var told: [String] = []
    _ = resolver.resolve("slow.example") { told += (try? $0.get().map(\.description)) ?? ["failed"] }
    try await waitUntil { self.server.questions.count == 2 }
    try directory.write("resolv.conf", Array("options ndots:2\n".utf8))
    server.answer = { _ in .addresses([[192, 0, 2, 2]]) }
    #expect(try await texts("fast.example", resolver) == ["192.0.2.2:0"])
    server.answerHeld(.addresses([[192, 0, 2, 3]]))
    try await waitUntil { !told.isEmpty }
    #expect(told == ["192.0.2.3:0"])
  }

  @Test func theFilesAreLookedAtNoMoreOftenThanTheirIntervalAndAfterAFlush() async throws {
    let resolver = resolver { $0.fileCheckInterval = .seconds(600) }
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
    try directory.write("hosts", Array("192.0.2.7 host.example\n".utf8))
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
    resolver.flush()
    #expect(try await texts("host.example", resolver) == ["192.0.2.7:0"])
  }

  @Test func aFlushWhileTheFilesAreLookedAtReadsThemOnceMore() async throws {
    let resolver = resolver { $0.fileCheckInterval = .seconds(600) }
    var told: [String] = []
    _ = resolver.resolve("host.example") { told += (try? $0.get().map(\.description)) ?? ["failed"] }
    resolver.flush()
    resolver.flush()
    try await waitUntil { !told.isEmpty }
    #expect(told == ["192.0.2.1:0"])
  }

  @Test func cancellingWhileTheFilesAreLookedAtIsSafe() async throws {
    let resolver = resolver()
    var told = 0
    let id = resolver.resolve("host.example") { _ in told += 1 }
    #expect(resolver.waitingCount == 1)
    resolver.cancel(id)
    #expect(resolver.waitingCount == 0)
    _ = try await texts("other.example", resolver)
    #expect(told == 0 && server.count(1, "host.example") == 0)
  }

  @Test func withoutEitherFileTheGivenServersAreAsked() async throws {
    #expect(try await texts("host.example", resolver()) == ["192.0.2.1:0"])
  }
}
