internal import HttpWire

/// Turns a whole response into success or the one error that says what is wrong with it. Pure.
struct ResponseNormalizer {
  let expect: Expectation
  let envelope: EnvelopeProfile?
  let acceptStatus: [Int]

  /// Checks in this order: HTTP status, JSON, shape, envelope.
  func normalize(_ response: HttpResponse) -> Result<HttpResponse, HttpClientError> {
    if response.status >= 400, !acceptStatus.contains(response.status) { return .failure(statusError(response)) }
    guard expect != .any || envelope != nil else { return .success(response) }
    if response.body.isEmpty, response.status == 204 || response.status == 205 || response.status == 304 {
      return failure(.notJson, "JSON was asked for and a \(response.status) has no body", response)
    }
    do throws(JsonError) {
      guard let envelope else { return try plain(response) }
      return try opened(envelope, response)
    } catch {
      return failure(.notJson, "the body is not JSON: \(error)", response)
    }
  }

  private func plain(_ response: HttpResponse) throws(JsonError) -> Result<HttpResponse, HttpClientError> {
    try Json.validate(response.body)
    let first = response.body.first { !ResponseNormalizer.isSpace($0) }
    if expect == .jsonObject, first != UInt8(ascii: "{") { return failure(.wrongShape, "the body is JSON, but not an object", response) }
    if expect == .jsonArray, first != UInt8(ascii: "[") { return failure(.wrongShape, "the body is JSON, but not an array", response) }
    let start = response.body.firstIndex { !ResponseNormalizer.isSpace($0) } ?? 0
    let end = response.body.lastIndex { !ResponseNormalizer.isSpace($0) } ?? 0
    return .success(response.with(dataRange: start..<(end + 1)))
  }

  private func opened(_ envelope: EnvelopeProfile, _ response: HttpResponse) throws(JsonError) -> Result<HttpResponse, HttpClientError> {
    let contents = try envelope.open(response.body)
    guard response.body.first(where: { !ResponseNormalizer.isSpace($0) }) == UInt8(ascii: "{") else {
      return failure(.wrongShape, "the envelope \(envelope.name) wants a JSON object", response)
    }
    guard let success = contents.success else {
      return failure(.wrongShape, "the envelope \(envelope.name) wants a text or number at \(envelope.successPointer)", response)
    }
    if envelope.successValues.contains(success) {
      guard envelope.dataPointer != nil else { return .success(response) }
      return .success(response.with(dataRange: contents.data, lacksData: contents.data == nil))
    }
    let said = PeerText.line(success)
    return .failure(
      HttpClientError(
        .service, phase: .response, message: contents.message.map { PeerText.line($0) } ?? "the service said \(said)", sent: .sent,
        serviceCode: contents.code.map { PeerText.line($0) } ?? said, response: response))
  }

  private func statusError(_ response: HttpResponse) -> HttpClientError {
    let words = response.reason.isEmpty ? ResponseWriter.reasonPhrase(response.status) : PeerText.line(response.reason)
    var error = HttpClientError(
      .httpStatus, phase: .response, message: words.isEmpty ? "\(response.status)" : "\(response.status) \(words)", sent: .sent,
      response: response)
    // A failing status often comes with the service's own words, which say more than the status.
    if let problem = ProblemDetails(response) {
      // Where the type is about:blank the title is the status's phrase again.
      for case let said? in [problem.title, problem.detail] where !said.isEmpty && said != words {
        error.message += ": \(PeerText.line(said))"
      }
    }
    guard let contents = try? envelope?.open(response.body) else { return error }
    // Where no code is told apart, the value that is not success is the code.
    error.serviceCode = (envelope?.codePointer == nil ? contents.success : contents.code).map { PeerText.line($0) }
    if let message = contents.message { error.message += ": \(PeerText.line(message))" }
    return error
  }

  private func failure(
    _ code: HttpClientError.Code, _ message: String, _ response: HttpResponse
  ) -> Result<HttpResponse, HttpClientError> {
    .failure(HttpClientError(code, phase: .response, message: message, sent: .sent, response: response))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09
  }
}
