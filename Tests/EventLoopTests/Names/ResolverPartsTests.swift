import EventLoop
import TestSupport
import Testing

/// Answers that come family by family, search domains, and cancelling.
@LoopActor
@Suite(.oneAtATime, .timeLimit(.minutes(1))) final class ResolverPartsTests {
  private let scene: ResolverScene
  private var server: DnsServer { scene.server }
  private var directory: TemporaryDirectory { scene.directory }
  private var parts: [Result<ResolvedPart, ResolveError>] = []
  private let v6: [UInt8] = [0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [9]

  init() async throws {
    scene = try ResolverScene()
  }

  private func resolver(_ change: (inout ResolverSettings) -> Void = { _ in }) -> CaresResolver {
    scene.resolver(change)
  }

  private var told: [String] {
    parts.map { part in
      switch part {
      case .success(let part): part.addresses.map(\.description).joined(separator: " ") + (part.isLast ? " last" : "")
      case .failure: "failed"
      }
    }
  }

  @Test(arguments: [true, false]) func eachFamilyIsToldWhenItsAnswerComes(isIPv6First: Bool) async throws {
    let resolver = resolver()
    _ = resolver.resolveParts("host.example") { self.parts.append($0) }
    try await waitUntil { self.server.questions.count == 2 }
    #expect(server.questions.map(\.isIPv6) == [true, false])
    let answer = DnsServer.Answer.addresses([[192, 0, 2, 1], v6])
    server.answerHeld(answer, type: isIPv6First ? 28 : 1)
    try await waitUntil { self.parts.count == 1 }
    #expect(told == [isIPv6First ? "[2001:db8::9]:0" : "192.0.2.1:0"])
    server.answerHeld(answer)
    try await waitUntil { self.parts.count == 2 }
    #expect(told.last == (isIPv6First ? "192.0.2.1:0 last" : "[2001:db8::9]:0 last"))
  }

  @Test func aFamilyThatIsSilentEndsTheRestInTime() async throws {
    server.answer = { $0.isIPv6 ? .hold : .addresses([[192, 0, 2, 1]]) }
    _ = resolver { $0.timeout = .milliseconds(30) }.resolveParts("host.example") { self.parts.append($0) }
    try await waitUntil { self.parts.count == 2 }
    #expect(told == ["192.0.2.1:0", " last"])
  }

  @Test func searchDomainsAreAskedForInTheirOrderAndTheFamiliesStayTogether() async throws {
    try directory.write("resolv.conf", Array("search one.example two.example\noptions ndots:1\n".utf8))
    server.answer = { [v6] question in
      switch question.name {
      // Only IPv4: the IPv6 address of the same name elsewhere is another machine's.
      case "host.one.example": question.isIPv6 ? .addresses([]) : .addresses([[192, 0, 2, 1]])
      case "host.two.example": .addresses([v6])
      default: .code(3)
      }
    }
    let resolver = resolver()
    _ = resolver.resolveParts("host") { self.parts.append($0) }
    try await waitUntil { self.told.last?.hasSuffix("last") == true }
    #expect(told.joined(separator: " ").contains("192.0.2.1:0") && !told.joined().contains("2001"))
    #expect(Set(server.questions.map(\.name)) == ["host.one.example"])
    parts = []
    _ = resolver.resolveParts("other") { self.parts.append($0) }
    try await waitUntil { !self.parts.isEmpty }
    guard case .failure(let error)? = parts.first else { return #expect(Bool(false), "found") }
    #expect(error.description == "can't resolve other: there is no such name (asked for other.one.example, other.two.example, other)")
    #expect(server.questions.filter(\.isIPv6).map(\.name).suffix(3) == ["other.one.example", "other.two.example", "other"])
  }

  @Test func anAbsoluteNameIsNotSearchedFor() async throws {
    try directory.write("resolv.conf", Array("search one.example\n".utf8))
    server.answer = { _ in .code(3) }
    _ = resolver().resolveParts("host.") { self.parts.append($0) }
    try await waitUntil { !self.parts.isEmpty }
    #expect(Set(server.questions.map(\.name)) == ["host"])
  }

  @Test func aServerThatFailsDoesNotLeadToTheNameOfAnotherMachine() async throws {
    try directory.write("resolv.conf", Array("search one.example two.example\n".utf8))
    server.answer = { $0.name == "host.one.example" ? .code(2) : .addresses([[192, 0, 2, 6]]) }
    _ = resolver().resolveParts("host") { self.parts.append($0) }
    try await waitUntil { !self.parts.isEmpty }
    #expect(told == ["failed"])
  }

  @Test func namesThatCannotBeAreRefusedBeforeAnybodyIsAsked() async throws {
    for name in ["a..b", String(repeating: "a", count: 64), "a b", "127.1", ""] {
      _ = resolver().resolveParts(name) { self.parts.append($0) }
    }
    #expect(told == Array(repeating: "failed", count: 5))
    #expect(server.questions.isEmpty)
  }

  @Test func aThousandThatWaitAreCancelledInNoTime() async throws {
    let resolver = resolver { $0.timeout = .seconds(60) }
    var ids: [ResolveID] = []
    for number in 0..<1_000 { ids.append(resolver.resolveParts("n\(number / 2).example") { self.parts.append($0) }) }
    try await waitUntil { self.server.questions.count >= 2 }
    #expect(resolver.waitingCount == 1_000)
    let start = Instant.now()
    for id in ids { resolver.cancel(id) }
    let took = start.duration(to: .now())
    // To wait for the server would take 60 s.
    #expect(took < .seconds(5), "\(took)")
    #expect(resolver.waitingCount == 0)
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    await pause(.milliseconds(10))
    #expect(parts.isEmpty)
  }

  @Test func questionsBeyondTheLimitWaitTheirTurnAndThoseOfCancelledOnesAreNotAsked() async throws {
    let resolver = resolver { $0.maxQuestions = 4 }
    var ids: [ResolveID] = []
    for number in 0..<10 { ids.append(resolver.resolveParts("n\(number).example") { self.parts.append($0) }) }
    try await waitUntil { self.server.questions.count == 4 }
    for id in ids[3..<8] { resolver.cancel(id) }
    server.answer = { _ in .addresses([[192, 0, 2, 1]]) }
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    try await waitUntil { self.told.count { $0.hasSuffix("last") } == 5 }
    #expect(Set(server.questions.map(\.name)) == ["n0.example", "n1.example", "n2.example", "n8.example", "n9.example"])
    #expect(server.questions.count == 10)
  }

  @Test func aResolverThatIsLetGoOfLeavesNothingBehind() async throws {
    let watches = EventLoop.shared.watchCount
    weak var gone: CaresResolver?
    do {
      let resolver = resolver { $0.timeout = .milliseconds(20) }
      gone = resolver
      let id = resolver.resolveParts("host.example") { self.parts.append($0) }
      try await waitUntil { self.server.questions.count == 2 }
      resolver.cancel(id)
    }
    try await waitUntil("the resolver to go") { gone == nil }
    try await waitUntil("its sockets to close") { EventLoop.shared.watchCount <= watches }
    #expect(parts.isEmpty)
  }
}
