import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Responses whose bodies come with content codings.
@Suite(.timeLimit(.minutes(3))) struct CodedResponseTests {
  /// Answers the first request with `bytes`, later ones with "next", and looks at what comes of the first.
  private func answer(
    _ bytes: [UInt8], closes: Bool = false, method: HttpMethod = .get, configuration: HttpClient.Configuration = .test,
    _ change: (inout HttpRequest) -> Void = { _ in },
    _ body: (Result<HttpResponse, HttpClientError>, ScriptedPeer, HttpClient) async throws -> Void
  ) async throws {
    try await scene(configuration) { connection, request in
      guard request.target == "/" else { return connection.answer("next") }
      connection.write(bytes)
      if closes { connection.close() }
    } test: { client, peer in
      var request = HttpRequest(await peer.url(), method: method)
      change(&request)
      let result: Result<HttpResponse, HttpClientError>
      do throws(HttpClientError) { result = .success(try await client.send(request)) } catch { result = .failure(error) }
      try await body(result, peer, client)
    }
  }

  private func plain(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(count))
    return generator.text(count)
  }

  @Test(arguments: CodedFormat.allCases, [1, 100_000, 1_000_000])
  func `a coded body is decoded, and the headers stay as they came`(format: CodedFormat, size: Int) async throws {
    let plain = plain(size)
    let coded = try await CodedResponse(plain, format)
    for bytes in [coded.whole, coded.chunked(1_000), coded.chunked(1_000_000)] {
      try await answer(bytes) { result, peer, client in
        let response = try result.get()
        #expect(response.body == plain)
        #expect(response.wasDecoded && response.encodedByteCount == Int64(coded.coded.count) && response.expectedLength == nil)
        #expect(response.headers["Content-Encoding"] == format.coding)
        _ = try await client.send(HttpRequest(await peer.url("/next")))
        #expect(peer.accepted.count == 1)
      }
    }
  }

  @Test(arguments: CodedFormat.allCases) func `it does not matter how the body is cut`(format: CodedFormat) async throws {
    let plain = plain(2_000)
    let bytes = try await CodedResponse(plain, format).whole
    try await scene { connection, _ in
      for byte in bytes { after(.milliseconds(1)) { connection.write([byte]) } }
    } test: { client, peer in
      let answer = try await client.response(HttpRequest(await peer.url()))
      #expect(answer.body == plain)
    }
  }

  @Test func `a body that is not coded comes as it is`() async throws {
    for fields in ["", "Content-Encoding: identity\r\n", "Content-Encoding:\r\n"] {
      try await answer(Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 5\r\n\r\nplain".utf8)) { result, _, _ in
        let response = try result.get()
        #expect(response.text == "plain" && !response.wasDecoded && response.encodedByteCount == nil && response.expectedLength == 5)
      }
    }
  }

  @Test func `codings in several fields are undone from the last to the first`() async throws {
    let inner = try await CodedFormat.brotli.encode(plain(5_000))
    var coded = CodedResponse(try await CodedFormat.gzip.encode(inner), "br")
    coded.fields += "Content-Encoding: identity, x-gzip\r\n"
    try await answer(coded.whole) { result, _, _ in
      let response = try result.get()
      #expect(response.body == plain(5_000))
    }
  }

  @Test func `gzip with several members is decoded whole`() async throws {
    let member = try await CodedFormat.gzip.encode(plain(5_000))
    try await answer(CodedResponse(member + member + [0, 0], "gzip").whole) { result, _, _ in
      let response = try result.get()
      #expect(response.body == plain(5_000) + plain(5_000))
    }
  }

  // MARK: What is asked for

  @Test(
    arguments: [
      ([:], true, "gzip, deflate, br, zstd"), (["Accept-Encoding": "gzip;q=0.5"], true, "gzip;q=0.5"), (["accept-encoding": ""], true, ""),
      (["Range": "bytes=5-"], true, nil), (["Range": "bytes=5-", "Accept-Encoding": "br"], true, "br"), ([:], false, nil),
      (["Accept-Encoding": "gzip"], false, "gzip"),
    ] as [(HttpHeaders, Bool, String?)])
  func `a request asks for codings, unless it says so itself or wants a part`(headers: HttpHeaders, decodes: Bool, asked: String?)
    async throws
  {
    try await scene { connection, _ in
      connection.answer()
    } test: { client, peer in
      for expect in [Expectation.any, .json] {
        var request = HttpRequest(await peer.url(), headers: headers)
        if !decodes { request.decodes = false }
        request.expect = expect
        _ = try? await client.send(request)
        let seen = try #require(peer.requests.all.last).head.headers
        #expect(seen.values("Accept-Encoding") == asked.map { [$0] } ?? [])
        #expect(seen["Accept"] == (expect == .json ? "application/json" : nil))
      }
    }
  }

  @Test func `a request that does not want its body decoded gets it as it came`() async throws {
    let coded = try await CodedResponse(plain(100))
    try await answer(coded.whole) {
      $0.decodes = false
    } _: { result, _, _ in
      let response = try result.get()
      #expect(response.body == coded.coded && !response.wasDecoded)
    }
    let unknown = CodedResponse([1, 2, 3], "lzma").whole
    try await answer(unknown) {
      $0.decodes = false
    } _: { result, _, _ in
      let response = try result.get()
      #expect(response.body == [1, 2, 3])
    }
  }

  @Test func `a part of a coded body is not decoded`() async throws {
    let bytes = Array(
      "HTTP/1.1 206 Partial Content\r\nContent-Encoding: gzip\r\nContent-Range: bytes 5-8/20\r\nContent-Length: 4\r\n\r\npart".utf8)
    try await answer(bytes) {
      $0.headers.append("Range", "bytes=5-8")
    } _: { result, _, _ in
      let response = try result.get()
      #expect(response.text == "part" && !response.wasDecoded)
    }
  }

  // MARK: Without a body

  @Test(arguments: [
    (HttpMethod.head, "200 OK", "Content-Length: 500\r\n"), (.head, "200 OK", ""), (.get, "204 No Content", ""),
    (.get, "304 Not Modified", ""),
    (.get, "304 Not Modified", "Content-Length: 500\r\n"), (.get, "200 OK", "Content-Length: 0\r\n"),
    (.get, "404 Not Found", "Content-Length: 0\r\n"),
  ]) func `a response without a body need not be coded`(method: HttpMethod, status: String, fields: String) async throws {
    for coding in ["gzip", "br", "zstd", "deflate"] {
      try await answer(Array("HTTP/1.1 \(status)\r\nContent-Encoding: \(coding)\r\n\(fields)\r\n".utf8), method: method) {
        $0.acceptStatus = [404]
      } _: { result, peer, client in
        let response = try result.get()
        #expect(response.body.isEmpty)
        _ = try await client.send(HttpRequest(await peer.url("/next")))
        #expect(peer.accepted.count == 1)
      }
    }
  }

  // MARK: What is wrong

  @Test(arguments: ["lzma", "gzip, compress", "gzip, gzip, gzip, gzip, gzip"])
  func `a coding that can't be undone fails the request by its name`(coding: String) async throws {
    try await answer(CodedResponse([1, 2, 3], coding).whole) { result, peer, client in
      let error = try #require(result.error)
      #expect(error.code == (coding.hasPrefix("gzip, gzip") ? .tooLarge : .malformedResponse) && error.phase == .response)
      #expect(error.message.contains(coding.split(separator: " ").last.map(String.init) ?? "") || error.code == .tooLarge, "\(error)")
      let answer = try await client.response(HttpRequest(await peer.url("/next")))
      #expect(answer.text == "next")
    }
  }

  @Test(arguments: CodedFormat.allCases) func `bytes that are not in their coding are malformed`(format: CodedFormat) async throws {
    let coded = try await format.encode(plain(300_000))
    var damaged = coded
    for index in coded.count / 2..<coded.count / 2 + 100 { damaged[index] = ~damaged[index] }
    var begun = coded
    for index in 0..<20 { begun[index] = 0xFF }
    for bytes in [begun, damaged, coded + [0xAA, 0xAA, 0xAA, 0xAA]] {
      try await answer(CodedResponse(bytes, format.coding).whole) { result, peer, client in
        // Without a checksum it may look like the beginning of something longer, or like another body.
        let isUnchecked = bytes == damaged && [.rawDeflate, .brotli, .zstd].contains(format)
        let error = result.error
        #expect(isUnchecked || error?.code == .malformedResponse && error?.phase == .response && error?.retryable == false, "\(result)")
        let answer = try await client.response(HttpRequest(await peer.url("/next")))
        #expect(answer.text == "next")
      }
    }
  }

  @Test(arguments: CodedFormat.allCases, [200, 1_000_000])
  func `a body whose coding is cut is truncated, though its message is whole`(format: CodedFormat, size: Int) async throws {
    let coded = try await format.encode(plain(size))
    for count in [1, coded.count / 2, coded.count - 1] {
      try await answer(CodedResponse(Array(coded[..<count]), format.coding).whole) { result, _, _ in
        #expect(result.error?.code == .truncated && result.error?.retryable == true, "\(count): \(result)")
      }
    }
  }

  @Test func `a cut shows where the end of the connection is the end of the body`() async throws {
    let coded = try await CodedFormat.gzip.encode(plain(1_000))
    let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8)
    try await answer(head + coded, closes: true) { result, _, _ in
      let response = try result.get()
      #expect(response.body == plain(1_000) && response.lengthUnknown)
    }
    try await answer(head + coded.dropLast(), closes: true) { result, _, _ in #expect(result.error?.code == .truncated) }
  }

  @Test func `one that is cut is tried again where that is asked for`() async throws {
    let coded = try await CodedResponse(plain(1_000))
    try await scene { connection, request in
      if request.number == 1, request.connection == 1 {
        connection.write(CodedResponse(Array(coded.coded.dropLast()), "gzip").whole)
      } else {
        connection.write(coded.whole)
      }
    } test: { client, peer in
      var request = HttpRequest(await peer.url())
      request.retry = RetryPolicy(max: 1)
      let response = try await client.response(request)
      #expect(response.body == plain(1_000) && response.attempts == 2)
    }
  }

  // MARK: Limits

  @Test(arguments: CodedFormat.allCases) func `the limit of the body counts what is decoded`(format: CodedFormat) async throws {
    let coded = try await CodedResponse(plain(100_000), format)
    try await answer(coded.whole) {
      $0.maxBodyBytes = 100_000
    } _: { result, _, _ in
      let response = try result.get()
      #expect(response.body.count == 100_000)
    }
    try await answer(coded.whole) {
      $0.maxBodyBytes = 99_999
    } _: { result, _, _ in
      #expect(
        result.error?.code == .tooLarge && result.error?.message == "the body decodes to more than 99999 bytes (limit max_body_bytes)")
    }
  }

  @Test(arguments: CodedFormat.allCases)
  func `a small response that inflates without end is too large, at the limit, in bounded memory`(format: CodedFormat) async throws {
    let bomb = try await CodedResponse([UInt8](repeating: 0, count: 32 << 20), format)
    try await answer(bomb.whole) { result, _, _ in
      #expect(result.error?.code == .tooLarge && result.error?.message.contains("max_decoded_ratio") == true, "\(result)")
      #expect(result.error?.response == nil)
    }
    try await answer(bomb.whole, configuration: .test { $0.maxDecodedRatio = .max }) { result, _, _ in
      #expect(result.error?.code == .tooLarge && result.error?.message.contains("max_body_bytes") == true, "\(result)")
    }
    try await answer(bomb.whole, configuration: .test { $0.maxDecodedRatio = .max }) {
      $0.maxBodyBytes = 32 << 20
    } _: { result, _, _ in
      let response = try result.get()
      #expect(response.body.count == 32 << 20)
    }
  }

  @Test func `a turn of the loop decodes a part of a large body`() async throws {
    let bomb = try await CodedResponse([UInt8](repeating: 0, count: 16 << 20))
    try await scene(.test { $0.maxDecodedRatio = .max }) { connection, _ in
      connection.write(bomb.whole)
    } test: { client, peer in
      let before = await client.onLoop { _ in EventLoop.shared.turn }
      let answer = try await client.response(HttpRequest(await peer.url()))
      #expect(answer.body.count == 16 << 20)
      let turns = await client.onLoop { _ in EventLoop.shared.turn } &- before
      #expect(turns >= (16 << 20) / 262_144 - 1)
    }
  }

  @Test func `many large bodies share the turns`() async throws {
    let coded = try await CodedResponse([UInt8](repeating: 0x61, count: 2 << 20))
    try await scene(.test { $0.maxDecodedRatio = .max }) { connection, _ in
      connection.write(coded.whole)
    } test: { client, peer in
      let url = await peer.url()
      let before = await client.onLoop { _ in EventLoop.shared.turn }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<20 { group.addTask { try await client.response(HttpRequest(url)).body.count } }
        for try await count in group { #expect(count == 2 << 20) }
      }
      let turns = await client.onLoop { _ in EventLoop.shared.turn } &- before
      // A mebibyte as they come, and one at the end of the turn.
      #expect(turns >= 18)
    }
  }

  // MARK: With other answers

  @Test func `a failure comes with its decoded body`() async throws {
    var coded = try await CodedResponse(Array("{\"code\": \"7\", \"msg\": \"no\", \"data\": null}".utf8))
    try await answer(coded.whole) {
      $0.envelope = .codeMsgData
    } _: { result, _, _ in
      #expect(result.error?.code == .service && result.error?.serviceCode == "7")
    }
    coded.fields += "Content-Type: text/plain; charset=shift_jis\r\n"
    let bytes = Array("HTTP/1.1 503 Busy\r\n".utf8) + coded.whole.dropFirst(17)
    try await answer(bytes) { result, _, _ in
      #expect(result.error?.code == .httpStatus && result.error?.response?.text.hasPrefix("{\"code\": \"7\"") == true)
    }
  }

  @Test func `the body of a redirect is not decoded, unless the redirect is stopped`() async throws {
    let coded = try await CodedResponse(Array("moved".utf8))
    let bomb = try await CodedResponse([UInt8](repeating: 0, count: 8 << 20))
    try await scene { connection, request in
      switch request.target {
      case "/": connection.write(Array("HTTP/1.1 302 Found\r\nLocation: /next\r\n".utf8) + coded.whole.dropFirst(17))
      case "/broken":
        connection.write("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nbad")
      case "/bomb": connection.write(Array("HTTP/1.1 302 Found\r\nLocation: /next\r\n".utf8) + bomb.whole.dropFirst(17))
      default: connection.answer("next")
      }
    } test: { client, peer in
      for target in ["/", "/broken", "/bomb"] {
        let answer = try await client.response(HttpRequest(await peer.url(target)))
        #expect(answer.text == "next")
      }
      let delegate = StoppingDelegate()
      for target in ["/", "/broken", "/bomb"] { client.submit(HttpRequest(await peer.url(target)), delegate: delegate) }
      let outcomes = try await delegate.outcomes.first(3)
      func event(_ target: String) -> DelegateEvent? { outcomes.first { $0.info.url.hasSuffix(target) }?.event }
      #expect(outcomes.compactMap(\.event.response).map(\.text) == ["moved"])
      #expect(outcomes.compactMap(\.event.response).map(\.status) == [302])
      #expect(event("/broken")?.error?.code == .malformedResponse)
      #expect(event("/bomb")?.error?.code == .tooLarge)
    }
  }

  @Test func `the body of a challenge is decoded where nothing follows from it`() async throws {
    let coded = try await CodedResponse(Array("who are you?".utf8))
    try await scene { connection, _ in
      connection.write(Array("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\n".utf8) + coded.whole.dropFirst(17))
    } test: { client, peer in
      let delegate = StoppingDelegate()
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      #expect(error.code == .httpStatus && error.response?.text == "who are you?" && error.response?.wasDecoded == true)
    }
  }
}

/// Follows no redirect and answers no challenge.
private final class StoppingDelegate: HttpClientDelegate {
  let outcomes = Record<(info: RequestInfo, event: DelegateEvent)>("outcomes of a delegate that stops redirects")
  var interests: RequestInterests { [.redirects, .challenges] }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { outcomes.add((request, .finished(response))) }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { outcomes.add((request, .failed(error))) }
  func request(_ request: RequestInfo, willFollow redirection: Redirection) { redirection.stop() }
  func request(_ request: RequestInfo, didReceiveChallenge challenge: AuthenticationChallenge) { challenge.answer(.proceedWithout) }
}
