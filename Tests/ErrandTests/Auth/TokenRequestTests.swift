import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Requests with tokens", .oneAtATime, .timeLimit(.minutes(3)))
struct TokenRequestTests {
  /// Says 401 to every token but those that it is told, and 200 with the token to those.
  @LoopActor final class Gatekeeper {
    var good: Set<String>
    /// Requests that wait for their 401 until there are that many.
    var gathers = 0
    private var gathered: [PeerConnection] = []

    init(_ good: String...) { self.good = Set(good) }

    func answer(_ connection: PeerConnection, _ request: SeenRequest) {
      let token = String((request.head.headers["Authorization"] ?? "none").dropFirst("Bearer ".count))
      if good.contains(token) { return connection.answer(token) }
      gathered.append(connection)
      guard gathered.count >= gathers else { return }
      for connection in gathered { connection.answer("not \(token)", status: 401, fields: "WWW-Authenticate: Bearer\r\n") }
      (gathered, gathers) = ([], 0)
    }
  }

  private func request(_ url: String, _ source: any TokenSource, _ change: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
    var request = HttpRequest(url)
    request.tokenSource = source
    change(&request)
    return request
  }

  private func withGatekeeper(
    _ good: String, _ configuration: HttpClient.Configuration = .test,
    _ body: (HttpClient, ScriptedPeer, Gatekeeper, CountingSource) async throws -> Void
  ) async throws {
    let keeper = await Gatekeeper(good)
    try await scene(configuration) {
      keeper.answer($0, $1)
    } test: { client, peer in
      try await body(client, peer, keeper, CountingSource())
    }
  }

  @Test("the first request asks for a token, and the others take it")
  func first() async throws {
    try await withGatekeeper("t1") { client, peer, _, source in
      for _ in 0..<3 { try await client.expect("t1", request(await peer.url(), source)) }
      #expect(source.asked.all.map(\.description) == ["a token for \(await peer.url().dropLast())"])
      #expect(peer.requests.count == 3)
      try await client.expect(
        "t1", request(await peer.url(), source) { $0.credentials = .bearer("t1") })
      let own = try await client.failure(request(await peer.url(), source) { $0.headers = ["Authorization": "Bearer mine"] })
      #expect(own.status == 401 && own.response?.text == "not mine" && source.asked.count == 1)
    }
  }

  @Test("500 requests that get a 401 at the same moment: one refresh, 500 answers", arguments: [500, 16])
  func manyAtOnce(perHost: Int) async throws {
    try await withGatekeeper("t1", .test(perHost: perHost)) { client, peer, keeper, source in
      try await client.expect("t1", request(await peer.url(), source))
      await client.onLoop { _ in
        keeper.good = ["t2"]
        keeper.gathers = perHost
      }
      let url = await peer.url()
      try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<500 { group.addTask { try await client.send(request(url, source)).text } }
        var answers: [String: Int] = [:]
        for try await answer in group { answers[answer, default: 0] += 1 }
        #expect(answers == ["t2": 500])
      }
      #expect(source.asked.all.map(\.rejectedToken) == [nil, "t1"])
      #expect(peer.requests.count <= 1 + 1_000)
    }
  }

  @Test("a 401 with a token that is old by then leads to the new one, without a refresh")
  func oldToken() async throws {
    try await withGatekeeper("t1") { client, peer, keeper, source in
      try await client.expect("t1", request(await peer.url(), source))
      await client.onLoop { _ in
        keeper.good = ["t2"]
        keeper.gathers = 2
      }
      // The first is answered together with the second, and the second alone asks the source.
      let url = await peer.url()
      async let one = client.send(request(url, source)).text
      async let two = client.send(request(url, source)).text
      let texts = try await [one, two]
      #expect(texts == ["t2", "t2"])
      #expect(source.asked.count == 2)
    }
  }

  @Test("a new token that is rejected, too, is not replaced by the same request")
  func rejectedTwice() async throws {
    try await withGatekeeper("t3") { client, peer, _, source in
      let error = try await client.failure(request(await peer.url(), source))
      #expect(error.code == .httpStatus && error.status == 401 && error.response?.text == "not t2" && error.attempts == 2)
      try await client.expect("t3", request(await peer.url(), source))
      #expect(source.asked.all.map(\.rejectedToken) == [nil, "t1", "t2"])
    }
  }

  @Test("a refresh that fails fails each that waits, with its 401 kept and the reason in words")
  func refreshFails() async throws {
    try await withGatekeeper("t1", .test(perHost: 20)) { client, peer, keeper, source in
      try await client.expect("t1", request(await peer.url(), source))
      await client.onLoop { _ in
        keeper.good = []
        keeper.gathers = 20
      }
      source.fail(with: HttpClientError(.connect, message: "the login server is away"))
      source.hold()
      let delegate = RecordingDelegate()
      let url = await peer.url()
      let handles = (0..<20).map { _ in client.submit(request(url, source), delegate: delegate) }
      for handle in handles { try await client.wait(for: handle) { $0.conversation?.auth.waiting != nil } }
      source.open()
      for outcome in try await delegate.outcomes.first(20) {
        let error = try #require(outcome.event.error)
        #expect(error.code == .httpStatus && error.status == 401 && error.response?.text == "not t1")
        #expect(error.message == "401 Said; there is no new token: connect: the login server is away")
        #expect(error.sent == .sent && !"\(error)".contains("t1"))
      }
      #expect(source.asked.count == 2)
    }
  }

  @Test("a 401 that is kept is decoded, as any outcome")
  func decoded() async throws {
    let zipped: [UInt8] = [
      0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0xCB, 0xD7, 0x51, 0x28, 0x4E, 0xCC, 0x4C, 0x51, 0xC8, 0xCC, 0x53,
      0x48, 0xAF, 0xCA, 0x2C, 0x00, 0x00, 0x49, 0x58, 0x18, 0x56, 0x10, 0x00, 0x00, 0x00,
    ]
    try await scene { connection, _ in
      connection.write("HTTP/1.1 401 Said\r\nContent-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n")
      connection.write(zipped)
    } test: { client, peer in
      let source = CountingSource()
      let first = try await client.failure(request(await peer.url(), source))
      source.fail(with: CancellationError())
      let second = try await client.failure(request(await peer.url(), source))
      #expect(first.response?.text == "no, said in gzip" && first.message == "401 Said")
      #expect(second.response?.text == "no, said in gzip" && second.message == "401 Said; there is no new token: it was cancelled")
    }
  }

  @Test("no token at all is denied, and nothing is sent")
  func noToken() async throws {
    try await withGatekeeper("t1") { client, peer, _, source in
      struct Nobody: Error {}
      source.fail(with: Nobody())
      let error = try await client.failure(request(await peer.url(), source))
      #expect(error.code == .denied && error.sent == .notSent && error.message == "there is no token: Nobody")
      #expect(peer.accepted.count == 0)
      source.fail(with: nil)
      let unusable = try await client.failure(request(await peer.url(), CountingSource(gives: "hush hush")))
      #expect(unusable.code == .denied && !"\(unusable)".contains("hush"))
    }
  }

  @Test("cancelled while it waits for a token nothing more is sent, and the others go on", arguments: [false, true])
  func cancelled(isRenewal: Bool) async throws {
    let source = CountingSource(holds: !isRenewal)
    let keeper = await Gatekeeper(isRenewal ? "t2" : "t1")
    try await scene {
      keeper.answer($0, $1)
    } test: { client, peer in
      if isRenewal {
        await client.onLoop { _ in keeper.good = ["t1"] }
        try await client.expect("t1", request(await peer.url(), source))
        await client.onLoop { _ in
          keeper.good = ["t2"]
          keeper.gathers = 2
        }
        source.hold()
      }
      let seen = peer.requests.count
      let delegate = RecordingDelegate()
      let url = await peer.url()
      let first = client.submit(request(url, source), delegate: delegate)
      let second = client.submit(request(url, source), delegate: delegate)
      for handle in [first, second] {
        try await client.wait(for: handle) { $0.machine.state == .preparing && $0.conversation?.auth.waiting != nil }
      }
      let words = await client.onLoop { $0.describe(first)?.explanation }
      #expect(words == "waits for its token source")
      let receipt = await client.cancel(first)
      #expect(receipt.result == .cancelled && receipt.sent == (isRenewal ? .sent : .notSent))
      source.open()
      let outcomes = try await delegate.outcomes.first(2)
      #expect(outcomes.map(\.event.name) == ["cancelled", "finished"])
      await loopTurn()
      #expect(peer.requests.count == seen + (isRenewal ? 3 : 1))
    }
  }

  @Test("a source may use the same client, though all slots are taken by those that wait for it")
  func sameClient() async throws {
    try await withGatekeeper("t1", .test(perHost: 1)) { client, peer, keeper, source in
      let url = await peer.url()
      await client.onLoop { _ in keeper.good = ["t2", "login"] }
      source.work { _ in
        var login = HttpRequest(url + "login")
        login.credentials = .bearer("login")
        _ = try await client.send(login)
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 { group.addTask { try await client.expect("t2", request(url, source)) } }
        try await group.waitForAll()
      }
      #expect(source.asked.count == 2)
      source.work(nil)
    }
  }

  @Test("a source that names itself in its own request is refused, and does not wait for itself")
  func itself() async throws {
    try await withGatekeeper("t1") { client, peer, _, source in
      let url = await peer.url()
      source.work { _ in _ = try await client.send(request(url, source)) }
      let error = try await client.failure(request(url, source))
      #expect(error.code == .denied && error.message.contains("invalid_request") && error.message.contains("wait for that token itself"))
      source.work(nil)
    }
  }

  @Test("the total timeout ends the wait for a new token")
  func timeout() async throws {
    let source = CountingSource()
    let keeper = await Gatekeeper("t1")
    try await scene {
      keeper.answer($0, $1)
    } test: { client, peer in
      try await client.expect("t1", request(await peer.url(), source))
      await client.onLoop { _ in keeper.good = [] }
      source.hold()
      let error = try await client.failure(request(await peer.url(), source) { $0.timeouts.total = .milliseconds(300) })
      #expect(error.code == .timeout && error.phase == .total)
      source.open()
    }
  }

  @Test("a token goes to no other origin, whatever leads there")
  func redirect() async throws {
    let other = await ScriptedPeer { $0.answer($1.head.headers["Authorization"] ?? "none") }
    try await other.start(on: .loopback(port: 0))
    let away = await other.url("/end")
    try await scene { connection, _ in
      connection.answer("", status: 302, fields: "Location: \(away)\r\n")
    } test: { client, peer in
      let source = CountingSource()
      try await client.expect("none", request(await peer.url(), source))
      #expect(source.asked.count == 1)
      await client.onLoop { $0.dropIdleConnections() }
    }
    await other.stop()
  }
}
