import EventLoop
import Glibc
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct CaresResolverTests {
  private final class Outcome {
    var ids: [ResolveID] = []
    var told = 0
    var results: [Result<[SocketAddress], ResolveError>] = []
    var texts: [String] { (try? results.first?.get().map(\.description)) ?? [] }
    var error: ResolveError? {
      if case .failure(let error)? = results.first { error } else { nil }
    }
  }

  private func resolve(_ host: String, with resolver: CaresResolver) async throws -> Outcome {
    let outcome = Outcome()
    _ = resolver.resolve(host) { outcome.results.append($0) }
    try await waitUntil("the answer for \(host)") { !outcome.results.isEmpty }
    await pause(.milliseconds(2))
    #expect(outcome.results.count == 1)
    return outcome
  }

  @Test func literalsAndLocalhostAreAnsweredWithoutAServer() async throws {
    let server = try DnsServer()
    let resolver = CaresResolver(servers: server.servers)
    #expect(try await resolve("192.0.2.7", with: resolver).texts == ["192.0.2.7:0"])
    #expect(try await resolve("2001:db8::1", with: resolver).texts == ["[2001:db8::1]:0"])
    #expect(try await resolve("localhost", with: resolver).texts == ["127.0.0.1:0", "[::1]:0"])
    #expect(try await resolve("a.localhost", with: resolver).texts == ["127.0.0.1:0", "[::1]:0"])
    #expect(server.questions.isEmpty)
    server.close()
  }

  @Test func theHostsFileIsAskedFirst() async throws {
    let entry = try #require(hostsEntry(), "no name in /etc/hosts")
    let server = try DnsServer()
    server.answer = { _ in .code(3) }
    let outcome = try await resolve(entry.name, with: CaresResolver(servers: server.servers))
    #expect(outcome.texts.contains(entry.address))
    server.close()
  }

  @Test func bothFamiliesOfAServersAnswerAreGiven() async throws {
    let server = try DnsServer()
    server.answer = { question in
      question.name == "both.test.example"
        ? .addresses([[192, 0, 2, 1], [192, 0, 2, 2], [0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [9]]) : .code(3)
    }
    let outcome = try await resolve("both.test.example", with: CaresResolver(servers: server.servers))
    #expect(Set(outcome.texts) == ["192.0.2.1:0", "192.0.2.2:0", "[2001:db8::9]:0"])
    #expect(Set(server.questions.map(\.type)) == [1, 28])
    server.close()
  }

  @Test(arguments: [(UInt8(3), false), (UInt8(2), true)]) func aRefusalSaysWhetherItMayPass(code: UInt8, isTemporary: Bool) async throws {
    let server = try DnsServer()
    server.answer = { _ in .code(code) }
    let outcome = try await resolve(
      "none.test.example", with: CaresResolver(servers: server.servers, tries: 1))
    #expect(outcome.error?.description.contains("none.test.example") == true)
    #expect(outcome.error?.isTemporary == isTemporary)
    server.close()
  }

  @Test func aSilentServerIsGivenUp() async throws {
    let server = try DnsServer()
    let outcome = try await resolve(
      "silent.test.example", with: CaresResolver(servers: server.servers, timeout: .milliseconds(30), tries: 1))
    #expect(outcome.error?.isTemporary == true)
    server.close()
  }

  @Test func aCancelledResolutionIsNotToldItsLateAnswer() async throws {
    let server = try DnsServer()
    let resolver = CaresResolver(servers: server.servers, timeout: .seconds(80), tries: 1)
    var told = 0
    let id = resolver.resolve("late.test.example") { _ in told += 1 }
    try await waitUntil { server.questions.count >= 2 }
    let start = Instant.now()
    resolver.cancel(id)
    // To wait for the server would take 80 s.
    #expect(start.duration(to: .now()) < .seconds(5))
    #expect(resolver.waitingCount == 0)
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    // A later question, answered, shows that the late answers were taken before it.
    server.answer = { _ in .addresses([[192, 0, 2, 3]]) }
    #expect(try await resolve("next.test.example", with: resolver).texts == ["192.0.2.3:0"])
    #expect(told == 0)
    resolver.cancel(id)
    server.close()
  }

  @Test func manyResolutionsAtOnceEachGetTheirOwnAnswer() async throws {
    let server = try DnsServer()
    server.answer = { question in .addresses([[192, 0, 2, UInt8(question.name.split(separator: ".").first?.dropFirst() ?? "") ?? 0]]) }
    let resolver = CaresResolver(servers: server.servers)
    var answers: [Int: String] = [:]
    for number in 1...60 {
      _ = resolver.resolve("n\(number).test.example") { answers[number] = (try? $0.get().first?.description) ?? "none" }
    }
    try await waitUntil { answers.count == 60 }
    for number in 1...60 { #expect(answers[number] == "192.0.2.\(number):0") }
    server.close()
  }

  @Test func cancellingInTheCallbackOfAnotherIsSafe() async throws {
    let server = try DnsServer()
    let resolver = CaresResolver(servers: server.servers)
    let outcome = Outcome()
    for _ in 0..<20 {
      outcome.ids.append(
        resolver.resolve("same.test.example") { _ in
          outcome.told += 1
          for id in outcome.ids { resolver.cancel(id) }
        })
    }
    try await waitUntil { server.questions.count == 2 }
    server.answerHeld(.addresses([[192, 0, 2, 1]]))
    try await waitUntil { outcome.told == 1 }
    await pause(.milliseconds(5))
    #expect(outcome.told == 1)
    #expect(resolver.waitingCount == 0)
    server.close()
  }

  @Test func theLoopStopsAtOnceThoughAServerIsSilent() async {
    await #expect(processExitsWith: .success) {
      let asked = Locked(false)
      EventLoop.shared.enqueue {
        // The discard port of loopback: nobody answers, at most a refusal comes.
        _ = CaresResolver(servers: "127.0.0.1:9", timeout: .seconds(80), tries: 1).resolve("silent.test.example") { _ in }
        asked.withLock { $0 = true }
      }
      while !asked.withLock({ $0 }) { sched_yield() }
      let start = Instant.now()
      EventLoop.shared.stop()
      exit(start.duration(to: .now()) < .seconds(5) ? 0 : 1)
    }
  }

  private func hostsEntry() -> (name: String, address: String)? {
    guard let stream = fopen("/etc/hosts", "r") else { return nil }
    defer { fclose(stream) }
    var line = [CChar](repeating: 0, count: 1_024)
    while fgets(&line, 1_024, stream) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let words = text.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      guard words.count > 1, let address = SocketAddress.ip(String(words[0]), port: 0) else { continue }
      let name = String(words[1])
      if name != "localhost", !name.hasSuffix(".localhost") { return (name, address.description) }
    }
    return nil
  }
}
