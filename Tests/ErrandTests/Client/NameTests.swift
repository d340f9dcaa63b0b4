import EventLoop
import Glibc
import HttpWire
import Testing

@testable import Errand

/// Names that are slow to resolve, or never do.
@Suite(.timeLimit(.minutes(2))) struct NameTests {
  @Test(arguments: [false, true]) func anAnswerAfterTheCancelHasNoEffect(isFailure: Bool) async throws {
    let resolver = await StubResolver()
    await resolver.keepCancelled()
    try await scene(.test { $0.resolver = resolver }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let port = await peer.address.port ?? 0
      let handle = client.request("http://slow.test:\(port)/", delegate: delegate)
      try await resolver.asked.first(1)
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled && receipt.sent == .notSent)
      #expect(await resolver.cancelCount == 1)
      await resolver.answerAll(isFailure ? .failure(ResolveError("no", isTemporary: false)) : .success([.loopback(port: 0)]))
      try await delegate.outcomes.first(1)
      await loopTurn()
      #expect(delegate.outcomes.count == 1)
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func aSilentServerForNamesHoldsUpNeitherCancelNorShutdownNorOthers() async throws {
    let server = try SilentServer()
    defer { server.close() }
    let resolver = CaresResolver(servers: "127.0.0.1:\(server.port)", timeout: .seconds(80), tries: 1)
    try await scene(.test { $0.resolver = resolver }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let delegate = RecordingDelegate()
      let handles = (0..<50).map { client.request("http://name\($0).test/", delegate: delegate) }
      try await client.wait("all to be resolving") { _ in resolver.waitingCount == 50 }
      // Others are served meanwhile.
      _ = try await client.send(HttpRequest(await peer.url()))
      let took = await client.onLoop { client in
        let start = Instant.now()
        for handle in handles[..<25] { #expect(client.cancelOnLoop(handle).result == .cancelled) }
        return start.duration(to: .now())
      }
      // To wait for the server would take 80 s.
      #expect(took < .seconds(5))
      try await delegate.outcomes.first(25)
      await loopTurn()
      // Those told on the loop need nobody else to be told in time.
      let sink = RecordingSink()
      let shutdownTook = await client.onLoop { client in
        for handle in handles[25...] { _ = client.cancelOnLoop(handle) }
        return client.timeOfShutdown(with: (0..<25).map { HttpRequest("http://late\($0).test/") }, sink)
      }
      try await delegate.outcomes.first(50)
      await client.shutdown(grace: .zero)
      #expect(shutdownTook < .seconds(5))
      #expect(sink.outcomes.count == 25)
      let outcomes = delegate.outcomes.all
      #expect(outcomes.allSatisfy { $0.event.name == "cancelled" })
      #expect(await resolver.waitingCount == 0)
    }
  }

  @Test func aNameThatDoesNotResolveInTimeIsATimeoutOfThePhaseConnect() async throws {
    let resolver = await StubResolver()
    try await scene(.test { $0.resolver = resolver }) { _, _ in
    } test: { client, peer in
      var request = HttpRequest("http://slow.test/")
      request.timeouts.connect = .milliseconds(30)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .connect && error.sent == .notSent && error.retryable)
      #expect(await resolver.cancelCount == 1)
    }
  }

  @Test func aNameWithoutAddressIsADnsFailure() async throws {
    let resolver = await StubResolver()
    try await scene(.test { $0.resolver = resolver }) { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      client.request("http://none.test/", delegate: delegate)
      try await resolver.asked.first(1)
      await resolver.answerAll(.failure(ResolveError("can't resolve none.test", isTemporary: false)))
      let dns = try await delegate.outcomes.first(1)
      let error = try #require(dns[0].event.error)
      #expect(error.code == .dns && error.phase == .dns && error.sent == .notSent && error.message.contains("none.test"))
      client.request("http://empty.test/", delegate: delegate)
      try await resolver.asked.first(2)
      await resolver.answerAll(.success([]))
      let outcomes = try await delegate.outcomes.first(2)
      #expect(outcomes[1].event.error?.code == .connect)
    }
  }

  @Test func theNextAddressIsTriedWhenOneRefuses() async throws {
    let refusing = await ScriptedPeer { _, _ in }
    try await refusing.start(on: .loopback(port: 0, v6: true))
    await refusing.stop()
    let resolver = await StubResolver(answer: [.loopback(port: 0, v6: true), .loopback(port: 0)])
    try await scene(.test { $0.resolver = resolver }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let response = try await client.send(HttpRequest("http://both.test:\(port)/"))
      #expect(response.status == 200)
    }
  }

  @Test func aRefusedConnectionSaysWhichAddressesWereTried() async throws {
    let gone = await ScriptedPeer { _, _ in }
    try await gone.start(on: .loopback(port: 0))
    let url = await gone.url()
    await gone.stop()
    let client = HttpClient(.test)
    let error = try await client.failure(HttpRequest(url))
    #expect(error.code == .connect && error.phase == .connect && error.sent == .notSent && error.retryable)
    #expect(error.message.contains("127.0.0.1") && error.message.contains("refused"))
    await expectNothingLeft(client)
  }
}

extension HttpClient {
  /// How long shutting down keeps the loop, with these under way.
  @LoopActor fileprivate func timeOfShutdown(with requests: [HttpRequest], _ sink: RecordingSink) -> Duration {
    for request in requests { submitOnLoop(request, sink: sink) }
    let start = Instant.now()
    engine.shutdown(grace: .zero) {}
    return start.duration(to: .now())
  }
}

extension StubResolver {
  func keepCancelled() { keepsCancelled = true }
}

/// A UDP socket that takes questions and never answers.
struct SilentServer {
  let port: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let size = length
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &length) == 0 }
    }
    guard isBound else { throw SystemError(errno: errno, call: "bind") }
    port = UInt16(bigEndian: address.sin_port)
    self.descriptor = descriptor
  }

  func close() { Glibc.close(descriptor) }
}
