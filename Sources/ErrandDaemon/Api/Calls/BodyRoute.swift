internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/requests/{handle}/body`: the response's body, byte for byte, with its own content type.
@LoopActor
final class BodyRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/requests/{handle}/body"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let record = try core.record(call.parameters[0], for: call.owner)
    guard let body = record.result?.body else {
      let why = record.result == nil ? "the request has not ended" : "the request ended without a response"
      throw Problem(kind: "no_body", status: 404, title: "No body", detail: why)
    }
    let type = record.result?.contentType ?? "application/octet-stream"
    // The bytes are a stranger's: no browser shall make more of them than their type says.
    call.responder.respond(status: 200, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"], body: body)
  }
}
