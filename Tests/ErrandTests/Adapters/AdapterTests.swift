import EventLoop
import HttpWire
import Testing

@testable import Errand

private struct Closure: RequestAdapter {
  let body: @Sendable (inout HttpRequest) throws -> Void
  init(_ body: @escaping @Sendable (inout HttpRequest) throws -> Void) { self.body = body }
  func adapt(_ request: inout HttpRequest) throws { try body(&request) }
}

private struct Unsigned: Error {}

@Suite(.timeLimit(.minutes(2))) struct AdapterTests {
  @Test func adaptersChangeARequestInTheirOrder() async throws {
    let adapters = [
      Closure { $0.headers.append("X-Trail", "one") },
      Closure { request in
        request.headers.append("X-Trail", request.headers.values("X-Trail").joined() + "-two")
        request.url += "?signed"
      },
    ]
    try await scene(.test { $0.adapters = adapters }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let request = HttpRequest(await peer.url("/a"))
      _ = try await client.send(request)
      let delegate = RecordingDelegate()
      client.submit(request, delegate: delegate)
      let told = try await delegate.outcomes.first(1)
      #expect(told[0].info.url.hasSuffix("/a?signed"))
      for seen in peer.requests.all {
        #expect(seen.target == "/a?signed" && seen.head.headers.values("X-Trail") == ["one", "one-two"])
      }
      #expect(request.headers.isEmpty, "the caller's own request stays as it was")
    }
  }

  @Test func anAdapterThatThrowsIsTheOutcome() async throws {
    let own = HttpClientError(.denied, message: "no key")
    let adapters = [
      Closure { request in
        if request.url.hasSuffix("/own") { throw own }
        throw Unsigned()
      }
    ]
    try await scene(.test { $0.adapters = adapters }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .invalidRequest && error.field == "adapters")
      #expect(error.message == "Closure does not let the request go: Unsigned()")
      let second = try await client.failure(HttpRequest(await peer.url("/own")))
      #expect(second.code == .denied && second.message == "no key")
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func whatAnAdapterAddsIsChecked() async throws {
    try await scene(.test { $0.adapters = [Closure { $0.headers.append("X", "a\r\nb") }] }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let error = try await client.failure(HttpRequest(await peer.url()))
      #expect(error.code == .invalidRequest && error.field == "headers")
    }
  }

  @Test func anAdapterSeesWhatTheServiceAdded() async throws {
    let store = CatalogStore()
    let adapter = Closure { $0.headers.append("X-Signed", "\($0.url.hasSuffix("/v1/a")) \($0.headers["X-Service"] ?? "")") }
    try await scene(
      .test {
        $0.adapters = [adapter]
        $0.catalog = store
      }
    ) { connection, _ in
      connection.answer()
    } test: { client, peer in
      store.replace(with: ServiceCatalog(["s": .init([1: ServiceVersion(await peer.url("/v1"), headers: ["X-Service": "s"])])]))
      var request = HttpRequest("")
      request.service = "s"
      request.path = "a"
      _ = try await client.send(request)
      #expect(peer.requests.all.first?.head.headers["X-Signed"] == "true s")
    }
  }

  @Test func aRetryIsSentAsItWasAdapted() async throws {
    let calls = Record<Int>("calls of the adapter")
    let adapter = Closure { request in
      calls.add(1)
      request.headers.set("X-Call", "\(calls.count)")
    }
    try await scene(.test { $0.adapters = [adapter] }) { connection, request in
      connection.answer(status: request.number == 1 ? 503 : 200)
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry.max = 1
      request.retry.baseDelay = .milliseconds(1)
      _ = try await client.send(request)
      #expect(peer.requests.all.map { $0.head.headers["X-Call"] } == ["1", "1"])
    }
  }

  @Test func tracingFollowsTheTasksContext() async throws {
    try await scene(.test { $0.adapters = [TracingAdapter()] }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let context = TraceContext()
      let request = HttpRequest(await peer.url())
      _ = try await TraceContext.$current.withValue(context) { try await client.send(request) }
      let sent = try #require(peer.requests.all.first?.head.headers["traceparent"].flatMap { TraceContext($0) })
      #expect(sent.traceId == context.traceId && sent.spanId != context.spanId)
    }
  }
}
