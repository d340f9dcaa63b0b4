import EventLoop
import TestSupport
import Testing

/// What is asked of name servers, and what is remembered.
@LoopActor
@Suite(.oneAtATime, .timeLimit(.minutes(1))) final class ResolverCacheTests {
  private let scene: ResolverScene
  private var server: DnsServer { scene.server }
  private var directory: TemporaryDirectory { scene.directory }
  private let v6: [UInt8] = [0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [9]

  init() async throws {
    scene = try ResolverScene()
  }

  private func resolver(_ change: (inout ResolverSettings) -> Void = { _ in }) -> CaresResolver {
    scene.resolver(change)
  }

  private func resolve(_ host: String, _ resolver: CaresResolver) async throws -> Result<[SocketAddress], ResolveError> {
    var results: [Result<[SocketAddress], ResolveError>] = []
    _ = resolver.resolve(host) { results.append($0) }
    try await waitUntil("the answer for \(host)") { !results.isEmpty }
    #expect(results.count == 1)
    return try #require(results.first)
  }

  private func texts(_ host: String, _ resolver: CaresResolver) async throws -> [String] {
    try await resolve(host, resolver).get().map(\.description)
  }

  private func words(_ host: String, _ resolver: CaresResolver) async throws -> String {
    guard case .failure(let error) = try await resolve(host, resolver) else { return "" }
    return error.description
  }

  @Test func anAnswerIsAskedForOnceInItsTimeToLive() async throws {
    server.answer = { [v6] _ in .addresses([[192, 0, 2, 1], v6]) }
    let resolver = resolver()
    for name in ["host.example", "HOST.example", "host.example.", "host.example"] {
      #expect(Set(try await texts(name, resolver)) == ["192.0.2.1:0", "[2001:db8::9]:0"])
    }
    #expect(server.count(1) == 1 && server.count(28) == 1 && resolver.answerCount == 2)
  }

  @Test func afterItsTimeToLiveAFreshAnswerIsUsed() async throws {
    var last: UInt8 = 1
    server.answer = { _ in .addresses([[192, 0, 2, last]]) }
    let resolver = resolver { $0.maxTimeToLive = .milliseconds(20) }
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
    last = 2
    await pause(.milliseconds(21))
    #expect(try await texts("host.example", resolver) == ["192.0.2.2:0"])
  }

  @Test func anAnswerWithoutTimeToLiveIsNotKept() async throws {
    server.answer = { _ in .addresses([[192, 0, 2, 1]], ttl: 0) }
    let resolver = resolver()
    for _ in 0..<3 { _ = try await texts("host.example", resolver) }
    #expect(server.count(1) == 3)
  }

  @Test func theTimeToLiveOfAnAliasCountsToo() async throws {
    server.answer = { _ in .addresses([[192, 0, 2, 1]], ttl: 60, aliases: [("alias.example", 60), ("other.example", 0)]) }
    let resolver = resolver()
    for _ in 0..<2 { #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"]) }
    #expect(server.count(1) == 2)
  }

  @Test func rotatedAnswersKeepTheirOrder() async throws {
    server.answer = { _ in .addresses([[192, 0, 2, 9], [192, 0, 2, 1], [10, 0, 0, 1], [127, 0, 0, 1]], ttl: 0) }
    #expect(try await texts("host.example", resolver()) == ["192.0.2.9:0", "192.0.2.1:0", "10.0.0.1:0", "127.0.0.1:0"])
  }

  @Test func manyResolutionsOfOneNameAtATimeAreOneQuestionForEachFamily() async throws {
    let resolver = resolver()
    var answers: [String] = []
    for number in 0..<500 {
      _ = resolver.resolve(number.isMultiple(of: 2) ? "host.example" : "Host.example.") { result in
        answers += (try? result.get().map(\.description)) ?? ["failed"]
      }
    }
    try await waitUntil { self.server.questions.count == 2 }
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    try await waitUntil { answers.count == 500 }
    #expect(Set(answers) == ["192.0.2.1:0"])
    #expect(server.questions.count == 2)
  }

  @Test func aNameThatDoesNotExistIsRememberedForAShortTime() async throws {
    server.answer = { _ in .code(3) }
    let resolver = resolver { $0.negativeTimeToLive = .milliseconds(30) }
    for _ in 0..<3 { #expect(try await words("none.example", resolver).contains("there is no such name")) }
    #expect(server.questions.count == 2)
    await pause(.milliseconds(31))
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    #expect(try await texts("none.example", resolver) == ["192.0.2.1:0"])
  }

  @Test func aNameWithoutAddressIsSaidToExist() async throws {
    server.answer = { _ in .addresses([]) }
    let resolver = resolver()
    for _ in 0..<2 { #expect(try await words("bare.example", resolver).contains("exists, but it has no address")) }
    #expect(server.questions.count == 2)
  }

  @Test func failuresOfServersAreNotRemembered() async throws {
    server.answer = { _ in .code(2) }
    let resolver = resolver()
    #expect(try await words("host.example", resolver).contains("each failed, refused"))
    server.answer = { _ in .code(5) }
    #expect(try await words("host.example", resolver).contains("each failed, refused"))
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
  }

  @Test func aFamilyThatFailsDoesNotSpoilTheOtherAndIsAskedForAgain() async throws {
    server.answer = { $0.isIPv6 ? .code(2) : .addresses([[192, 0, 2, 1]]) }
    let resolver = resolver()
    for _ in 0..<2 { #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"]) }
    #expect(server.count(1) == 1 && server.count(28) == 2)
  }

  @Test func whatIsRememberedIsBounded() async throws {
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    let resolver = resolver { $0.maxAnswers = 20 }
    for number in 0..<50 { _ = try await texts("n\(number).example", resolver) }
    #expect(resolver.answerCount <= 20)
  }

  @Test func aFlushForgetsAnswersAndThoseThatAreUnderWayAreNotKept() async throws {
    let resolver = resolver()
    var told: [String] = []
    _ = resolver.resolve("host.example") { told = (try? $0.get().map(\.description)) ?? ["failed"] }
    try await waitUntil { self.server.questions.count == 2 }
    resolver.flush()
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    try await waitUntil { !told.isEmpty }
    #expect(told == ["192.0.2.1:0"] && resolver.answerCount == 0)
    server.answer = { _ in .addresses([[192, 0, 2, 2]]) }
    #expect(try await texts("host.example", resolver) == ["192.0.2.2:0"])
    #expect(resolver.answerCount == 2)
    resolver.flush()
    #expect(resolver.answerCount == 0)
  }

  @Test func anAnswerThatIsTooLongForADatagramIsTakenOverTcp() async throws {
    let many = (1...200).map { [192, 0, 2, UInt8($0)] as [UInt8] }
    server.answer = { $0.isOverTcp ? .addresses(many) : .truncated }
    let found = try await texts("many.example", resolver())
    #expect(found.count == 64 && found.first == "192.0.2.1:0")
    #expect(server.questions.contains { $0.isOverTcp && $0.type == 1 })
  }

  @Test func answersThatWereNotAskedForAndGarbageAreNoAnswers() async throws {
    let resolver = resolver { $0.timeout = .milliseconds(40) }
    server.answer = { _ in .wrongID([[192, 0, 2, 66]]) }
    #expect(try await words("host.example", resolver).contains("no name server answered in time"))
    server.answer = { question in
      // The answer to another question, under the right id.
      .raw([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0x78, 0, 0, 1, 0, 1, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 66])
    }
    #expect(try await words("host.example", resolver).contains("no name server answered in time"))
    server.answer = { _ in .raw([1, 2, 3]) }
    #expect(try await !words("host.example", resolver).isEmpty)
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    #expect(try await texts("host.example", resolver) == ["192.0.2.1:0"])
  }

  @Test func randomDatagramsDoNotHarmTheResolver() async throws {
    var generator = SeededGenerator(seed: 13)
    let resolver = resolver { $0.timeout = .milliseconds(60) }
    server.answer = { question in
      var bytes: [UInt8] = [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
      for label in question.name.split(separator: ".") { bytes += [UInt8(label.utf8.count)] + Array(label.utf8) }
      bytes += [0, 0, UInt8(question.type), 0, 1]
      if Bool.random(using: &generator) { bytes += [0xc0, 12, 0, UInt8(question.type), 0, 1, 0, 0, 0, 60, 0, 4] }
      bytes += (0..<Int.random(in: 0..<60, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      for _ in 0..<Int.random(in: 0..<4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
      }
      return .raw(bytes)
    }
    var told = 0
    for number in 0..<1_000 { _ = resolver.resolve("f\(number).example") { _ in told += 1 } }
    try await waitUntil { told == 1_000 }
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    // On a slow machine an answer may take longer than the short time that garbage is given.
    var found: [String] = []
    for _ in 0..<20 where found.isEmpty { found = (try? await texts("host.example", resolver)) ?? [] }
    #expect(found == ["192.0.2.1:0"])
    #expect(resolver.waitingCount == 0)
  }
}
