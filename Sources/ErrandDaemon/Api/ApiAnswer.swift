internal import HttpServer
internal import HttpWire

/// The forms in which the API answers.
enum ApiAnswer {
  static let jsonHeaders: HttpHeaders = ["Content-Type": "application/json"]
  static let linesHeaders: HttpHeaders = ["Content-Type": "application/x-ndjson"]
  static let textHeaders: HttpHeaders = ["Content-Type": "text/plain; charset=utf-8"]
  static let problemHeaders: HttpHeaders = ["Content-Type": Problem.mediaType]
}

extension Responder {
  func json(_ bytes: [UInt8], status: Int = 200) {
    respond(status: status, headers: ApiAnswer.jsonHeaders, body: bytes)
  }

  func json(status: Int = 200, _ build: (inout JsonWriter) -> Void) {
    var writer = JsonWriter(capacity: 512)
    build(&writer)
    writer.newline()
    json(writer.takeBytes(), status: status)
  }

  func problem(_ problem: Problem) {
    var body: [UInt8] = []
    problem.write(to: &body)
    body.append("\n")
    var headers = ApiAnswer.problemHeaders
    for (name, value) in problem.headers { headers.append(name, value) }
    respond(status: problem.status, headers: headers, body: body)
  }
}
