import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// HTTP/2 in the clear, which no proxy is handed whole: it goes through a tunnel, behind which the server may speak first.
@Suite("HTTP/2 through tunnels", .oneAtATime, .timeLimit(.minutes(2)))
struct Http2TunnelTests {
  private func request(_ proxy: String, _ port: UInt16, _ path: String) -> HttpRequest {
    .through(proxy, "http://localhost:\(port)\(path)") { $0.httpVersion = .http2 }
  }

  /// Sends many requests at once and expects each to be answered with its path.
  private func sendMany(_ client: HttpClient, _ request: (Int) -> HttpRequest) async throws {
    let answers = Record<String>("answers")
    for number in 0..<64 { client.submit(request(number)) { answers.add((try? $0.get().text) ?? "\($0)") } }
    let texts = try await answers.first(64)
    #expect(Set(texts) == Set((0..<64).map { "/\($0)" }))
  }

  @Test("tinyproxy opens one tunnel for many requests, and the origin sees nothing of the credentials")
  func tinyproxy() async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      try await Tinyproxy.with(["BasicAuth user hush", "ConnectPort \(port)"]) { proxy in
        let url = "http://user:hush@127.0.0.1:\(proxy)"
        try await sendMany(client) { number in
          var request = request(url, port, "/\(number)")
          request.headers = ["Authorization": "Bearer mine"]
          return request
        }
        try await client.expect("/again", request(url, port, "/again"))
        #expect(peer.accepted.count == 1)
        let seen = peer.requests.all.map(\.request)
        #expect(seen.count == 65 && seen.allSatisfy { $0["proxy-authorization"] == nil && $0[":authority"] == "localhost:\(port)" })
        #expect(seen[0]["authorization"] == "Bearer mine" && seen[0].path == "/0")

        let forbidden = try await client.failure(request(url, 1, "/"))
        #expect(forbidden.code == .connect && forbidden.phase == .connect && !forbidden.retryable)
        #expect(forbidden.message.hasPrefix("the proxy http://127.0.0.1:\(proxy) refused the tunnel to localhost:1: "), "\(forbidden)")
        #expect(forbidden.message.contains("403"))
        let without = try await client.failure(request("http://127.0.0.1:\(proxy)", port, "/"))
        #expect(without.message.contains("asks for credentials (407 ") && without.message.contains("it takes Basic"), "\(without)")
        let wrong = try await client.failure(request("http://user:wrong@127.0.0.1:\(proxy)", port, "/"))
        #expect(wrong.code == .connect && !wrong.retryable && !"\(wrong)".contains("wrong"), "\(wrong)")
      }
    }
  }

  @Test("Dante's tunnels carry it, too", arguments: ["socks5", "socks5h"])
  func dante(kind: String) async throws {
    try await http2Scene {
      echoPath($0, $1)
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      try await Dante.with { proxy in
        try await sendMany(client) { request("\(kind)://127.0.0.1:\(proxy)", port, "/\($0)") }
      }
      #expect(peer.accepted.count == 1)
    }
  }

  @Test("what the server says together with the proxy's answer is not lost", arguments: [false, true])
  func surplus(isWhole: Bool) async throws {
    try await proxyScene { connection in
      if connection.stage == 0, let head = connection.takeHead() {
        connection.stage = 1
        connection.keep(head)
        let server = Http2Server(settings: [Setting.maxStreams: 7])
        echoPath(server, 0)
        // The rest of a frame may come later.
        let greeting = Array("HTTP/1.1 200 Established\r\n\r\n".utf8) + server.output
        let cut = isWhole ? greeting.count : greeting.count - 5
        connection.write(Array(greeting[..<cut]))
        server.isHeld = true
        server.output = []
        after(.milliseconds(20)) {
          connection.write(Array(greeting[cut...]))
          server.isHeld = false
        }
        server.onOutput = { [unowned server] in
          connection.write(server.output)
          server.output = []
        }
        connection.server = server
      }
      guard let server = connection.server else { return }
      server.receive(connection.take(connection.received.count) ?? [])
    } test: { client, proxy in
      let url = "http://127.0.0.1:\(await proxy.port)"
      try await sendMany(client) { request(url, 80, "/\($0)") }
      #expect(proxy.seen.all.allSatisfy { $0.hasPrefix("CONNECT localhost:80 HTTP/1.1\r\n") })
      await proxy.forgetServers()
    }
  }

  @Test("a tunnel that is refused fails all who waited for it, with one question to the proxy")
  func refusedForAll() async throws {
    try await proxyScene { connection in
      guard let head = connection.takeHead() else { return }
      connection.keep(head)
      connection.write("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    } test: { client, proxy in
      let url = "http://127.0.0.1:\(await proxy.port)"
      let failures = Record<HttpClientError>("failures")
      await client.onLoop { client in
        for number in 0..<20 {
          client.submit(request(url, 80, "/\(number)")) { if case .failure(let error) = $0 { failures.add(error) } }
        }
      }
      let errors = try await failures.first(20)
      #expect(errors.allSatisfy { $0.code == .connect && $0.retryable && $0.message.hasSuffix("it answered CONNECT with 502 Bad Gateway") })
      #expect(proxy.accepted.count == 1)
    }
  }

  @Test("requests that are cancelled while they wait for one tunnel leave it to the others, and the last one ends it")
  func cancelledWaiters() async throws {
    try await proxyScene { _ in
    } test: { client, proxy in
      let url = "http://127.0.0.1:\(await proxy.port)"
      let handles = (0..<3).map { client.submit(request(url, 80, "/\($0)"), delegate: nil) }
      try await proxy.accepted.first(1)
      for handle in handles.dropLast() { #expect(await client.cancel(handle).sent == .notSent) }
      await loopTurn()
      #expect(proxy.closed.count == 0)
      await client.cancel(handles[2])
      try await proxy.closed.first(1)
      #expect(proxy.accepted.count == 1)
    }
  }
}
