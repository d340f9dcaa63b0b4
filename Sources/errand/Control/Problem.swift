internal import Errand
internal import HttpWire

/// A refusal of the daemon: problem details (RFC 9457), with the field that they are about.
struct Problem: Sendable {
  let status: Int
  let text: String
  let isNoSuchHandle: Bool

  init(_ response: HttpResponse) {
    let body = try? JsonValue.parse(response.body)
    self.init(status: response.status, body)
  }

  init(status: Int, _ body: JsonValue?) {
    self.status = status
    let words = body?["detail"]?.string ?? body?["title"]?.string ?? ResponseWriter.reasonPhrase(status)
    let field = body?["field"]?.string
    text = field.map { words.contains($0) ? words : "\($0): \(words)" } ?? words
    isNoSuchHandle = body?["type"]?.string?.hasSuffix(":unknown_handle") ?? false
  }

  var failure: Failure {
    isNoSuchHandle ? Failure(.noSuchHandle, text) : Failure(.refused, "the daemon refused (\(status)): \(text)")
  }
}
