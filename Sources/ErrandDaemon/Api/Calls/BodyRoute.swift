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
    let type = record.result?.contentType ?? "application/octet-stream"
    if let result = record.result, result.isBodyOnDisk, let mailbox = record.mailbox.journalID {
      return core.journal.body(mailbox: mailbox, seq: result.seq) { body in
        if let body { BodyRoute.answer(call, body, type) } else { call.responder.problem(BodyRoute.none("the journal no longer has it")) }
      }
    }
    guard let body = record.result?.body else {
      let why = record.result == nil ? "the request has not ended" : "the request ended without a response"
      throw BodyRoute.none(why)
    }
    BodyRoute.answer(call, body, type)
  }

  private static func none(_ why: String) -> Problem { Problem(kind: "no_body", status: 404, title: "No body", detail: why) }

  private static func answer(_ call: ApiCall, _ body: [UInt8], _ type: String) {
    // The bytes are a stranger's: no browser shall make more of them than their type says.
    call.responder.respond(status: 200, headers: ["Content-Type": type, "X-Content-Type-Options": "nosniff"], body: body)
  }
}
