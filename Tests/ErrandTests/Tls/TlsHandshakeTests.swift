import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Handshakes of requests", .oneAtATime)
struct TlsHandshakeTests {
  @Test func aRequestIsCancelledInTheMiddleOfItsHandshake() async throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(listener) }
    let port = try #require(Socket.localAddress(listener)?.port)
    try await tlsScene { client in
      let delegate = RecordingDelegate()
      let handles = (0..<50).map { _ in
        var request = HttpRequest("https://127.0.0.1:\(port)/")
        request.httpVersion = .http1
        return client.submit(request, delegate: delegate)
      }
      for handle in handles { try await client.wait(for: handle) { $0.attempt?.connector.explanation.contains("handshake") == true } }
      let words = await client.onLoop { $0.describe(handles[0])?.explanation ?? "" }
      #expect(words.hasPrefix("is in the TLS handshake with 127.0.0.1:\(port), "), "\(words)")
      let receipts = try await client.cancelEach(handles)
      #expect(receipts.allSatisfy { $0.result == .cancelled && $0.sent == .notSent && $0.bytesWritten == 0 })
      #expect(try await delegate.outcomes.first(50).allSatisfy { $0.event.name == "cancelled" })
      #expect(Descriptors.open(port: port) == 0)
    }
  }

  @Test func aServerThatNeverAnswersEndsByTheConnectTimeout() async throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(listener) }
    let port = try #require(Socket.localAddress(listener)?.port)
    try await tlsScene { client in
      var request = HttpRequest("https://127.0.0.1:\(port)/")
      request.timeouts.connect = .milliseconds(50)
      let error = try await client.failure(request)
      #expect(error.code == .timeout && error.phase == .connect && error.sent == .notSent)
    }
  }

  @Test func aHandshakeWithoutEndIsCutShortAndHoldsUpNobody() async throws {
    let flood = try await PythonPeer(PeerScripts.hellosWithoutEnd)
    try await tlsScene { client in
      let error = try await client.failure(HttpRequest("https://localhost:\(flood.port)/"))
      #expect(error.code == .tls && error.sent == .notSent)
      #expect(error.message == "the handshake with localhost is longer than 524288 bytes")
    }
  }

  @Test func aHandshakeThatHangsIsNotJoinedForLong() async throws {
    let listener = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(listener) }
    let port = try #require(Socket.localAddress(listener)?.port)
    try await tlsScene { client in
      let delegate = RecordingDelegate()
      let first = (0..<2).map { _ in client.submit(HttpRequest("https://127.0.0.1:\(port)/"), delegate: delegate) }
      try await client.wait(for: first[1]) { $0.attempt?.connector.explanation.contains("handshake") == true }
      #expect(await client.onLoop { $0.engine.pool.connecting } == 1)
      await pause(.milliseconds(1_050))
      let later = client.submit(HttpRequest("https://127.0.0.1:\(port)/"), delegate: delegate)
      try await client.wait(for: later) { $0.attempt?.connector.explanation.contains("handshake") == true }
      #expect(await client.onLoop { $0.engine.pool.connecting } == 2)
      _ = try await client.cancelEach(first + [later])
    }
  }

  @Test func aServerThatSpeaksNoTlsIsNamedSo() async throws {
    let plain = try await NginxServer { "server { listen 127.0.0.1:\($0[0]); }" }
    try await tlsScene { client in
      let error = try await client.failure(HttpRequest("https://localhost:\(plain.port)/"))
      #expect(error.code == .tls && error.message == "what answers at localhost does not speak TLS")
    }
  }

  @Test func manyRequestsToGoodAndBadHostsEachHaveTheirOwnEnd() async throws {
    let specs: [CertificateSpec] = [.localhost, .expired, .wrongName, .selfSigned, .unknownIssuer, .localhostChain, .rsa, .notYetValid]
    let server = try await NginxServer.serving(specs)
    let dead = try await PythonPeer(PeerScripts.answer, "", "reset")
    try await tlsScene { client in
      try await withThrowingTaskGroup(of: (Int, String).self) { group in
        for number in 0..<200 {
          group.addTask {
            let place = number % (specs.count + 1)
            let port = place < specs.count ? server.ports[place] : dead.port
            var request = HttpRequest("https://localhost:\(port)/")
            request.httpVersion = number.isMultiple(of: 2) ? .auto : .http1
            do throws(HttpClientError) {
              return (place, "\(try await client.send(request).status)")
            } catch {
              return (place, error.code.rawValue)
            }
          }
        }
        let expected = ["200", "tls", "tls", "tls", "tls", "200", "200", "tls", "tls"]
        for try await (place, result) in group { #expect(result == expected[place], "\(place)") }
      }
    }
  }

  @Test func aConnectionMadeByTlsToAProxyAndThroughItToTheOrigin() async throws {
    let server = try await NginxServer.serving([.localhost])
    let proxyTls = try await TlsSettings.test()
    try await Tinyproxy.with(["ConnectPort \(server.port)"]) { tinyproxy in
      let relay = try await PythonPeer(PeerScripts.tlsRelay, try await PeerScripts.identity(.localhostChain), "\(tinyproxy)")
      try await tlsScene {
        $0.proxy = .url("https://localhost:\(relay.port)", noProxy: nil)
        $0.proxyTls = proxyTls
      } test: { client in
        let sink = EndingTraces(client)
        await client.onLoop { _ = $0.submitOnLoop(HttpRequest("https://localhost:\(server.port)/"), sink: sink) }
        let trace = try #require(try await sink.traces.first(1).first)
        #expect(trace.timeline.map(\.event) == ["queued", "slot", "resolved", "connected", "tls", "tunnel", "tls", "sent", "head"])
        #expect(trace.timeline.compactMap(\.note).contains { $0.hasPrefix("the proxy https://localhost:\(relay.port): TLSv1.3") })
        #expect(trace.tls?.alpn == "h2")
        var request = HttpRequest("https://localhost:\(server.port)/")
        request.httpVersion = .http1
        #expect(try await client.send(request).text.hasPrefix("HTTP/1.1 "))
        // In the clear it is sent through the proxy's TLS as it is.
        let plain = try await NginxServer { "server { listen 127.0.0.1:\($0[0]); location / { return 200 \"plain\"; } }" }
        #expect(try await client.send(HttpRequest("http://127.0.0.1:\(plain.port)/")).text == "plain")
      }
      try await tlsScene {
        $0.proxy = .url("https://localhost:\(relay.port)", noProxy: nil)
      } test: { client in
        let error = try await client.failure(HttpRequest("https://localhost:\(server.port)/"))
        #expect(error.code == .tls && error.message.hasPrefix("the proxy https://localhost:\(relay.port): unknown issuer"), "\(error)")
      }
    }
  }
}
