import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Answers that lead elsewhere, followed through the whole engine.
struct RedirectTests {
  /// Answers `/to/STATUS` with a redirect to `/end`, and everything else with what it saw.
  @LoopActor static func script(_ connection: PeerConnection, _ request: SeenRequest) {
    let parts = request.target.split { "/?".contains($0) }
    if parts.first == "to", let status = parts.dropFirst().first.flatMap({ Int($0) }) {
      return connection.answer("elsewhere", status: status, fields: "Location: /end\r\n")
    }
    connection.answer("\(request.head.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))")
  }

  enum Body: String, CaseIterable {
    case none, bytes, form, params

    func put(into request: inout HttpRequest) {
      switch self {
      case .none: break
      case .bytes: request.body = .text("abc")
      case .form: request.body = .form([HttpParam("a", "b")])
      case .params: request.params = [HttpParam("a", "b")]
      }
    }

    func sent(_ method: HttpMethod) -> String {
      switch self {
      case .none: ""
      case .bytes: "abc"
      case .form: "a=b"
      case .params: method == .post || method == .put ? "a=b" : ""
      }
    }
  }

  @Test(arguments: [301, 302, 303, 307, 308], [HttpMethod.get, .post, .put, .delete])
  func eachStatusGoesOnAsItsMethodAndBodyWant(_ status: Int, _ method: HttpMethod) async throws {
    try await scene(RedirectTests.script) { client, peer in
      for body in Body.allCases {
        var request = HttpRequest(await peer.url("/to/\(status)"), method: method)
        body.put(into: &request)
        let response = try await client.send(request)
        let becomesGet = status == 303 || status <= 302 && method == .post
        let expected = becomesGet ? "GET /end " : "\(method) /end \(body.sent(method))"
        #expect(response.text == expected, "\(status) \(method) \(body)")
        #expect(response.redirects.map(\.status) == [status])
        #expect(response.url == (await peer.url("/end")))
        #expect(response.redirects.first?.nextMethod == (becomesGet ? .get : method))
      }
      // The answers that led on were read to their end: one connection served all.
      #expect(await peer.connections.count == 1)
    }
  }

  @Test func headStaysHead() async throws {
    try await scene { connection, request in
      if request.target == "/" { return connection.write("HTTP/1.1 303 See\r\nLocation: /end\r\nContent-Length: 7\r\n\r\n") }
      connection.write("HTTP/1.1 200 OK\r\nX-Method: \(request.head.method)\r\nContent-Length: 9\r\n\r\n")
    } test: { client, peer in
      let response = try await client.send(HttpRequest(await peer.url(), method: .head))
      #expect(response.headers["X-Method"] == "HEAD")
    }
  }

  @Test(arguments: [300, 304, 305, 306])
  func otherStatusesAreTheOutcome(_ status: Int) async throws {
    try await scene { connection, _ in
      connection.write("HTTP/1.1 \(status) Said\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n")
    } test: { client, peer in
      let response = try await client.send(HttpRequest(await peer.url()))
      #expect(response.status == status)
      #expect(response.redirects.isEmpty && response.url == nil)
    }
  }

  /// A second peer on another port is another origin.
  func withTwo(_ body: (HttpClient, ScriptedPeer, ScriptedPeer) async throws -> Void) async throws {
    let other = await ScriptedPeer { connection, request in
      var seen = request.head.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()
      seen.removeAll { $0.hasPrefix("host:") || $0.hasPrefix("user-agent:") }
      connection.answer(seen.joined(separator: "\n"))
    }
    try await other.start(on: .loopback(port: 0))
    let target = await other.url("/end")
    try await scene { connection, request in
      if request.target == "/end" {
        connection.answer(request.head.headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted().joined(separator: "\n"))
      } else {
        connection.answer("", status: 302, fields: "Location: \(request.target == "/out" ? target : "/end")\r\n")
      }
    } test: { client, peer in
      try await body(client, peer, other)
      await client.onLoop { $0.dropIdleConnections() }
    }
    await other.stop()
  }

  private static let secrets: HttpHeaders = [
    "Authorization": "Bearer secret", "Cookie": "a=secret", "Proxy-Authorization": "Basic secret", "X-Mine": "kept",
  ]

  @Test func toAnotherOriginCredentialsStayBehind() async throws {
    try await withTwo { client, peer, _ in
      let out = try await client.send(HttpRequest(await peer.url("/out"), headers: RedirectTests.secrets))
      #expect(!out.text.contains("secret"))
      #expect(out.text.contains("x-mine: kept"))
      let within = try await client.send(HttpRequest(await peer.url("/in"), headers: RedirectTests.secrets))
      #expect(within.text.contains("authorization: Bearer secret"))
      #expect(within.text.contains("cookie: a=secret"))
    }
  }

  @Test func thePolicyOfTheRequestHolds() async throws {
    try await withTwo { client, peer, _ in
      var request = HttpRequest(await peer.url("/out"))
      request.redirects = .manual
      let manual = try await client.send(request).status
      #expect(manual == 302)
      request.redirects = .sameOrigin
      let outside = try await client.send(request).status
      #expect(outside == 302)
      request.url = await peer.url("/in")
      let within = try await client.send(request).status
      #expect(within == 200)
    }
  }

  @Test func moreThanTheLimitFailsAndSaysSo() async throws {
    try await scene { connection, request in
      let number = Int(request.target.dropFirst()) ?? 0
      connection.answer("", status: 302, fields: "Location: /\(number + 1)\r\n")
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url("/0")))
      #expect(error.code == .tooManyRedirects)
      #expect(error.message.contains("10 times") && error.message.contains("max_redirects"))
      #expect(error.response?.redirects.count == 10)
      #expect(error.response?.headers["Location"] == "/11")
      #expect(error.sent == .sent)
      var request = HttpRequest(await peer.url("/0"))
      request.maxRedirects = 0
      let none = try await client.failure(request)
      #expect(none.code == .tooManyRedirects)
    }
  }

  @Test(arguments: [["/a", "/a"], ["/a", "/b", "/a"], ["/a", "/b", "/c", "/b"]])
  func aCircleIsNoticed(_ way: [String]) async throws {
    try await scene { connection, request in
      let index = way.firstIndex(of: request.target) ?? 0
      connection.answer("", status: 302, fields: "Location: \(way[index + 1])\r\n")
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url(way[0])))
      #expect(error.code == .tooManyRedirects)
      #expect(error.message.contains("circle"))
      #expect(peer.requests.all.count == Set(way).count)
    }
  }

  @Test(arguments: ["", "Location: ftp://example.com/\r\n", "Location: http://[\r\n", "Location: /a\r\nLocation: /b\r\n"])
  func aRedirectThatLeadsNowhereIsMalformed(_ fields: String) async throws {
    try await scene { connection, _ in
      connection.answer("", status: 302, fields: fields)
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .malformedResponse)
    }
  }

  @Test func toAHostThatIsNotThereTheFailureTellsOfTheRedirect() async throws {
    try await scene { connection, _ in
      connection.answer("", status: 302, fields: "Location: http://127.0.0.1:2/\r\n")
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .connect)
      #expect(error.message.contains("after a redirect"))
      #expect(error.sent == .sent)
    }
  }

  @Test func theTimelineTellsOfEachRedirect() async throws {
    try await scene(RedirectTests.script) { client, peer in
      let sink = TraceSink()
      let url = await peer.url("/to/302")
      await client.onLoop { client in
        sink.client = client
        client.submitOnLoop(HttpRequest(url), sink: sink)
      }
      try await client.wait("its end") { _ in sink.events != nil }
      #expect(await sink.events?.contains("redirect") == true)
      #expect(await client.stats().redirected == 1)
    }
  }

  // MARK: A delegate that has a say

  @Test func aDelegateSeesChangesAndStopsHops() async throws {
    try await scene(RedirectTests.script) { client, peer in
      for answer in RedirectingDelegate.Answer.allCases {
        let delegate = RedirectingDelegate(answer)
        client.submit(HttpRequest(await peer.url("/to/302"), headers: ["X": "y"]), delegate: delegate)
        let outcome = try await delegate.outcomes.first(1)[0]
        #expect(delegate.hops.all.map(\.status) == [302])
        switch answer {
        case .follow, .forget: #expect(outcome?.text == "GET /end ")
        case .change: #expect(outcome?.text == "PUT /other changed")
        case .stop:
          #expect(outcome?.status == 302)
          #expect(outcome?.text == "elsewhere")
          #expect(outcome?.redirects.isEmpty == true)
        }
      }
    }
  }

  @Test func cancelledWhileADelegateThinksNothingMoreIsSent() async throws {
    try await scene(RedirectTests.script) { client, peer in
      let delegate = RedirectingDelegate(.follow, holds: true)
      let handle = client.submit(HttpRequest(await peer.url("/to/302")), delegate: delegate)
      try await client.wait(for: handle) { item in item.machine.state == .preparing && !delegate.held.all.isEmpty }
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled && receipt.sent == .sent)
      for redirection in delegate.held.all { redirection.follow() }
      await loopTurn()
      #expect(peer.requests.all.count == 1)
    }
  }

  @Test func streamedPiecesAreThoseOfTheLastAnswerAlone() async throws {
    try await scene(RedirectTests.script) { client, peer in
      let delegate = RecordingDelegate([.head, .bodyChunks])
      client.submit(HttpRequest(await peer.url("/to/302")), delegate: delegate)
      try await delegate.outcomes.first(1)
      let heads = delegate.events.all.compactMap { if case .head(let head) = $0.event { head.status } else { nil } }
      let text = delegate.events.all.flatMap { event -> [UInt8] in if case .chunk(let bytes) = event.event { bytes } else { [] } }
      #expect(heads == [200])
      #expect(String(decoding: text, as: UTF8.self) == "GET /end ")
    }
  }

  @Test("an answer that a delegate stopped at is told like any other", arguments: [false, true])
  func stoppedInPieces(isCoded: Bool) async throws {
    let text = String(repeating: "elsewhere ", count: 100_000)
    let body = isCoded ? try await CodedFormat.gzip.encode(Array(text.utf8)) : Array(text.utf8)
    let fields = isCoded ? "Content-Encoding: gzip\r\n" : ""
    try await scene { connection, _ in
      connection.write("HTTP/1.1 302 Found\r\nLocation: /end\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
      connection.write(body)
    } test: { client, peer in
      let delegate = RedirectingDelegate(.stop, also: [.head, .bodyChunks])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let outcome = try await delegate.outcomes.first(1)[0]
      #expect(outcome?.status == 302 && outcome?.body.isEmpty == true)
      #expect(delegate.heads.all == [302])
      #expect(delegate.chunks.all.joined().elementsEqual(Array(text.utf8)))
    }
  }
}

@LoopActor private final class TraceSink: OutcomeSink {
  var client: HttpClient?
  var events: [String]?

  nonisolated init() {}

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    events = client?.trace(request.handle)?.timeline.map(\.event) ?? []
  }
}

private final class RedirectingDelegate: HttpClientDelegate {
  enum Answer: CaseIterable { case follow, forget, change, stop }

  let hops = Record<RedirectHop>("hops")
  let held = Record<Redirection>("held redirections")
  let outcomes = Record<HttpResponse?>("outcomes")
  let heads = Record<Int>("heads")
  let chunks = Record<[UInt8]>("chunks")
  let interests: RequestInterests
  private let answer: Answer
  private let holds: Bool

  init(_ answer: Answer, holds: Bool = false, also interests: RequestInterests = []) {
    self.answer = answer
    self.holds = holds
    self.interests = interests.union(.redirects)
  }

  func request(_ request: RequestInfo, didReceiveHead head: ResponseHead) { heads.add(head.status) }
  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) { chunks.add(chunk) }
  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { outcomes.add(response) }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { outcomes.add(error.response) }

  func request(_ request: RequestInfo, willFollow redirection: Redirection) {
    hops.add(redirection.hop)
    if holds { return held.add(redirection) }
    switch answer {
    case .follow: redirection.follow()
    case .forget: break
    case .stop: redirection.stop()
    case .change:
      var other = redirection.request
      other.url = other.url.replacing("/end", with: "/other")
      other.method = .put
      other.body = .text("changed")
      redirection.follow(other)
    }
  }
}
