import Dispatch
import EventLoop
import HttpWire
import Testing

@testable import Errand

/// The ways in: async, completion, blocking, and on the loop.
@Suite(.timeLimit(.minutes(2))) struct WaysTests {
  @Test func sendThrowsTheOneErrorTypeAndReturnsTheResponse() async throws {
    try await scene { connection, request in
      connection.answer("body", status: request.target == "/bad" ? 500 : 200)
    } test: { client, peer in
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.text == "body" && response.attempts == 1 && response.version == .http11)
      let error = try await client.failure(HttpRequest(await peer.url("/bad")))
      #expect(error.code == .httpStatus && error.status == 500 && error.response?.text == "body")
    }
  }

  @Test func aTaskCancelledBeforeItStartsSendsNothingEvenOnAnIdleConnection() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      _ = try await client.send(HttpRequest(await peer.url("/warm")))
      let url = await peer.url("/never")
      for _ in 0..<20 {
        let gate = Record<Bool>("the task may go on")
        let task = Task {
          _ = try? await gate.first(1)
          return try await client.failure(HttpRequest(url))
        }
        task.cancel()
        gate.add(true)
        let error = try await task.value
        #expect(error.code == .cancelled && error.sent == .notSent)
      }
      #expect(peer.requests.all.map(\.target) == ["/warm"])
    }
  }

  @Test func aTaskCancelledMeanwhileCancelsItsRequest() async throws {
    try await scene { _, _ in
    } test: { client, peer in
      let url = await peer.url()
      let task = Task { try await client.failure(HttpRequest(url)) }
      try await peer.requests.first(1)
      task.cancel()
      let error = try await task.value
      #expect(error.code == .cancelled && error.sent == .sent)
      try await peer.closed.first(1)
      #expect(await client.stats().cancelled == 1)
    }
  }

  @Test func aTaskCancelledAfterwardsChangesNothing() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let task = Task { try await client.send(HttpRequest(url)) }
      let response = try await task.value
      task.cancel()
      #expect(response.status == 200)
      _ = try await client.send(HttpRequest(url))
      #expect(peer.accepted.count == 1)
      #expect(await client.stats().cancelled == 0)
    }
  }

  @Test func manyTasksCancelledAtAnyMomentEachEndOnce() async throws {
    try await scene(.test(perHost: 4)) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let ends = await withTaskGroup(of: String.self, returning: [String].self) { group in
        for index in 0..<400 {
          group.addTask {
            let task = Task { () -> String in
              do throws(HttpClientError) {
                return "\(try await client.send(HttpRequest(url)).status)"
              } catch {
                return error.code.rawValue
              }
            }
            for _ in 0..<(index % 7) { await Task.yield() }
            if index % 3 != 0 { task.cancel() }
            return await task.value
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(ends.count == 400)
      #expect(Set(ends).isSubset(of: ["200", "cancelled"]))
      #expect(ends.count { $0 == "200" } >= 133)
    }
  }

  @Test func aCompletionIsCalledOnceWithTheOutcome() async throws {
    try await scene { connection, request in
      if request.target == "/" { connection.answer() }
    } test: { client, peer in
      let results = Record<Result<HttpResponse, HttpClientError>>("results")
      client.submit(HttpRequest(await peer.url())) { results.add($0) }
      var told = try await results.first(1)
      #expect(told[0].response?.text == "ok")
      let held = client.submit(HttpRequest(await peer.url("/held"))) { results.add($0) }
      try await peer.requests.first(2)
      await client.cancel(held)
      told = try await results.first(2)
      #expect(told[1].error?.code == .cancelled && told[1].error?.sent == .sent)
      client.submit(HttpRequest("nonsense")) { results.add($0) }
      told = try await results.first(3)
      #expect(told[2].error?.code == .invalidRequest)
    }
  }

  @Test func sendAndWaitBlocksItsThreadAlone() async throws {
    try await scene { connection, request in
      connection.answer(status: request.target == "/bad" ? 404 : 200)
    } test: { client, peer in
      let url = await peer.url()
      let codes = Record<String>("codes")
      DispatchQueue.global().async {
        for path in ["", "bad"] {
          do throws(HttpClientError) {
            codes.add("\(try client.sendAndWait(HttpRequest(url + path)).status)")
          } catch {
            codes.add(error.code.rawValue)
          }
        }
      }
      let told = try await codes.first(2)
      #expect(told == ["200", "http_status"])
    }
  }

  @Test func sendAndWaitWorksOnADeliveryQueueToo() async throws {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      let url = await peer.url()
      let codes = Record<Int>("codes")
      client.submit(HttpRequest(url)) { _ in codes.add((try? client.sendAndWait(HttpRequest(url)).status) ?? 0) }
      let told = try await codes.first(1)
      #expect(told == [200])
    }
  }

  @Test func sendAndWaitRefusesOnTheLoop() async throws {
    let client = HttpClient(.test)
    let code = await client.onLoop { client in
      do throws(HttpClientError) {
        _ = try client.sendAndWait(HttpRequest("http://127.0.0.1/"))
        return ""
      } catch {
        return error.code.rawValue
      }
    }
    #expect(code == "invalid_request")
    #expect(await client.stats().submitted == 0)
  }

  @Test func aSinkOnTheLoopMaySubmitAndCancelWhenItIsTold() async throws {
    try await scene(.test(perHost: 2)) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let chain = await Chain(client, await peer.url(), length: 300)
      await chain.start()
      try await chain.ended.first(301)
      #expect(peer.requests.count <= 301)
    }
  }

  @Test func aClientThatIsLetGoFinishesWhatItWasGiven() async throws {
    let peer = await ScriptedPeer { connection, request in if request.target != "/held" { connection.answer() } }
    try await peer.start(on: .loopback(port: 0))
    let delegate = RecordingDelegate()
    do {
      let client = HttpClient(.test)
      for _ in 0..<3 { client.request(await peer.url("/held"), delegate: delegate) }
      _ = try await client.send(HttpRequest(await peer.url()))
      try await peer.requests.first(4)
    }
    await loopTurn()
    await peer.answerAll()
    let outcomes = try await delegate.outcomes.first(3)
    #expect(outcomes.allSatisfy { $0.event.response != nil })
    // Its idle connections are closed, too.
    try await peer.closed.first(4)
    await peer.stop()
    for _ in 0..<20 {
      let other = await ScriptedPeer { connection, _ in connection.answer() }
      try await other.start(on: .loopback(port: 0))
      let response = try await HttpClient(.test).send(HttpRequest(await other.url()))
      #expect(response.status == 200)
      try await other.closed.first(1)
      await other.stop()
    }
  }

  @Test func handlesAreNeverUsedTwice() async throws {
    let client = HttpClient(.test { $0.firstHandle = 1_000 })
    let handles = await withTaskGroup(of: [RequestHandle].self) { group in
      for _ in 0..<4 { group.addTask { (0..<500).map { _ in client.request("nonsense", delegate: nil) } } }
      return await group.reduce(into: [RequestHandle]()) { $0 += $1 }
    }
    #expect(Set(handles).count == 2_000)
    #expect(handles.min()?.id == 1_000)
    await expectNothingLeft(client)
  }
}

/// A sink that answers each outcome with the next request, and cancels every third of them at once.
@LoopActor
private final class Chain: OutcomeSink {
  private let client: HttpClient
  private let url: String
  private var left: Int
  nonisolated let ended = Record<RequestHandle>("ends of a chain")

  init(_ client: HttpClient, _ url: String, length: Int) {
    self.client = client
    self.url = url
    left = length
  }

  func start() { client.submitOnLoop(HttpRequest(url), sink: self) }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    if left > 0 {
      left -= 1
      let handle = client.submitOnLoop(HttpRequest(url), sink: self)
      if left % 3 == 0 { _ = client.cancelOnLoop(handle) }
    }
    ended.add(request.handle)
  }
}
