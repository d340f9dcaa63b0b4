import EventLoop
import HttpServer
import HttpWire

/// The server that the requests of a test go to: it answers as the path says.
final class TargetServer: Sendable {
  let url: String
  let port: UInt16
  private let server: HttpServer
  private let script: Script

  @LoopActor
  init() async throws {
    server = HttpServer()
    script = Script()
    server.register(script)
    port = try server.listen(on: .loopback(port: 0)).port ?? 0
    url = "http://127.0.0.1:\(port)"
  }

  func close() async {
    await server.close(grace: .zero)
  }

  /// Answers all that hangs at `/held`, and what comes there later.
  @LoopActor func release() { script.release() }
  @LoopActor var heldCount: Int { script.held.count }
  /// Paths asked for, in order.
  @LoopActor var seen: [String] { script.seen }
}

@LoopActor
private final class Script: ResponseHandler {
  var held: [Responder] = []
  var seen: [String] = []
  private var isReleased = false

  nonisolated init() {}

  func decision(for head: RequestHead, path: String) -> HandlerDecision { .handles }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    seen.append(request.head.target)
    let json: HttpHeaders = ["Content-Type": "application/json"]
    func answer(_ status: Int, _ headers: HttpHeaders, _ text: String) {
      responder.respond(status: status, headers: headers, body: Array(text.utf8))
    }
    switch request.path {
    case "/json": answer(200, json, "{\"ok\":\n true, \"n\": 1.50}")
    case "/text": answer(200, ["Content-Type": "text/plain"], "grüße\n\"quoted\"")
    case "/binary": responder.respond(status: 200, headers: [:], body: [0, 0xFF, 0x80, 7])
    case "/empty": answer(204, [:], "")
    case "/bad": answer(200, json, "{\"ok\": tru")
    case "/missing": answer(404, json, "{\"error\": \"none\"}")
    case "/busy": answer(503, ["Content-Type": "text/plain"], "later")
    case "/envelope/good": answer(200, json, "{\"code\": \"0\", \"msg\": \"\", \"data\": {\"a\": 1}}")
    case "/envelope/bad": answer(200, json, "{\"code\": \"17\", \"msg\": \"no such thing\", \"data\": null}")
    case "/echo": responder.respond(status: 200, headers: ["Content-Type": "application/octet-stream"], body: Script.echo(request))
    case "/large": responder.respond(status: 200, headers: ["Content-Type": "text/plain"], body: [UInt8](repeating: 0x61, count: 100_000))
    case "/held":
      if isReleased { answer(200, json, "{\"held\": true}") } else { held.append(responder) }
    default: answer(200, json, "{\"path\": \"\(request.path)\"}")
    }
  }

  func release() {
    isReleased = true
    for responder in held {
      responder.respond(status: 200, headers: ["Content-Type": "application/json"], body: Array("{\"held\": true}".utf8))
    }
    held = []
  }

  /// What came: the request line, the fields sent by the test, and the body.
  private static func echo(_ request: ServerRequest) -> [UInt8] {
    var text = "\(request.head.method) \(request.head.target)\n"
    for (name, value) in request.head.headers where name.lowercased().hasPrefix("x-") || name.lowercased() == "content-type" {
      text += "\(name): \(value)\n"
    }
    return Array(text.utf8) + request.body
  }
}
