import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// The beginning of a request's first exchange, for those who asked for it.
@Suite(.timeLimit(.minutes(2))) struct StartedTests {
  private static let script: ScriptedPeer.Script = { connection, request in
    switch request.target {
    case "/to": connection.answer(status: 302, fields: "Location: /end\r\n")
    default: connection.answer("end")
    }
  }

  @Test func aDelegateIsToldOnceAndBeforeAllElse() async throws {
    try await scene(Self.script) { client, peer in
      let delegate = StartedDelegate([.started, .redirects])
      client.request(await peer.url("/to"), delegate: delegate)
      let told = try await delegate.told.first(3)
      #expect(told == ["started", "redirect", "finished"])
      let other = StartedDelegate([])
      client.request(await peer.url("/to"), delegate: other)
      let toldOther = try await other.told.first(1)
      #expect(toldOther == ["finished"])
    }
  }

  @Test func aSinkOnTheLoopIsToldAtOnceAndOnlyOfWhatItAskedFor() async throws {
    try await scene(Self.script) { client, peer in
      let url = await peer.url("/to")
      let rows: [(RequestInterests, [String])] = [
        ([], ["finished"]), ([.started], ["started", "finished"]), ([.redirects], ["redirect", "finished"]),
        ([.started, .redirects, .head, .bodyChunks, .uploadProgress, .interim], ["started", "redirect", "finished"]),
      ]
      for (interests, words) in rows {
        let sink = StartedSink()
        await client.onLoop { _ = $0.submitOnLoop(HttpRequest(url, method: .post, body: .text("x")), sink: sink, interests: interests) }
        let told = try await sink.told.first(words.count)
        #expect(told == words)
      }
    }
  }

  @Test func aSinkMayStopARedirect() async throws {
    try await scene(Self.script) { client, peer in
      let url = await peer.url("/to")
      let sink = StartedSink(stops: true)
      await client.onLoop { _ = $0.submitOnLoop(HttpRequest(url), sink: sink, interests: .redirects) }
      let told = try await sink.told.first(2)
      #expect(told == ["redirect", "finished"])
      #expect(peer.requests.all.map(\.target) == ["/to"])
    }
  }

  @Test func whatIsNotConnectedHasNotStarted() async throws {
    let client = HttpClient(.test)
    let delegate = StartedDelegate([.started])
    client.request("http://127.0.0.1:1/", delegate: delegate)
    #expect(try await delegate.told.first(1) == ["failed"])
    await client.shutdown(grace: .zero)
  }

  @Test func progressSaysWhatIsKnownWhileItRuns() async throws {
    try await scene { connection, request in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
    } test: { client, peer in
      let handle = client.submit(HttpRequest(await peer.url("/"), body: .text("upload")), delegate: nil)
      try await waitUntil("three bytes") { client.progress(handle)?.downloaded == 3 }
      let whole = RequestProgress(uploaded: 6, uploadTotal: 6, downloaded: 3, downloadTotal: 5)
      #expect(await client.onLoop { $0.progress(handle) } == whole)
      await peer.writeInOneTurn([(1, "lo")])
      try await waitUntil("its end") { client.progress(handle) == nil }
    }
  }
}

private final class StartedDelegate: HttpClientDelegate {
  let told = Record<String>("what a delegate was told")
  let interests: RequestInterests

  init(_ interests: RequestInterests) { self.interests = interests }

  func requestDidStart(_ request: RequestInfo) { told.add("started") }
  func request(_ request: RequestInfo, willFollow redirection: Redirection) {
    told.add("redirect")
    redirection.follow()
  }
  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { told.add("finished") }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { told.add("failed") }
}

private final class StartedSink: OutcomeSink {
  let told = Record<String>("what a sink was told")
  private let stops: Bool

  init(stops: Bool = false) { self.stops = stops }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) { told.add("finished") }
  func requestStarted(_ request: RequestInfo) { told.add("started") }
  func requestRedirected(_ request: RequestInfo, _ redirection: Redirection) {
    told.add("redirect")
    if stops { redirection.stop() } else { redirection.follow() }
  }
}
