internal import Errand
internal import HttpWire

/// A refusal of the daemon: problem details (RFC 9457), with the field that they are about.
struct Problem: Sendable {
  let status: Int
  let text: String
  /// The setting that was exceeded, as the daemon's configuration names it.
  let limit: String?
  let isNoSuchHandle: Bool

  init(_ response: HttpResponse) {
    let body = try? JsonValue.parse(response.body)
    self.init(status: response.status, body)
  }

  init(status: Int, _ body: JsonValue?) {
    self.status = status
    limit = body?["limit"]?.string
    var words = body?["detail"]?.string ?? body?["title"]?.string ?? ResponseWriter.reasonPhrase(status)
    if let field = body?["field"]?.string, !words.contains(field) { words = "\(field): \(words)" }
    if let limit, !words.contains(limit) { words += " (limit \(limit))" }
    text = words
    isNoSuchHandle = body?["type"]?.string?.hasSuffix(":unknown_handle") ?? false
  }

  var failure: Failure {
    if isNoSuchHandle { return Failure(.noSuchHandle, text) }
    return Failure(
      .refused, "the daemon refused (\(status)): \(text)", hint: status == 413 ? hint : nil, obstacle: status == 413 ? .tooLarge : nil)
  }

  private var hint: String {
    let base64 = "a body that is not UTF-8 goes to the daemon as base64, a third longer; "
    return base64 + "errand get, post and put with --direct send it without the daemon"
  }
}
