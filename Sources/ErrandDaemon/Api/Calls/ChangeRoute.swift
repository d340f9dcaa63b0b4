internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `PATCH /v1/requests/{handle}` with `{"priority": N}`: changes the turn of a request that waits.
@LoopActor
final class ChangeRoute: ApiRoute {
  static let fields = ["priority"]
  let methods = [HttpMethod.patch]
  let pattern: PathPattern = "/v1/requests/{handle}"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let record = try core.record(call.parameters[0], for: call.owner)
    var priority: Int8?
    for member in try FieldReader.object(try core.jsonBody(call), "", of: ChangeRoute.fields) {
      guard member.key == "priority" else { throw .unknownField(member.key, at: "", among: ChangeRoute.fields) }
      priority = Int8(try FieldReader.integer(member.value, "/priority", SubmissionRules.priorities))
    }
    guard let priority else { throw .missing("/priority") }
    guard core.client.setPriorityOnLoop(record.handle, priority) else {
      throw Problem(
        kind: "not_waiting", status: 409, title: "Not waiting",
        detail: "the request waits for no turn any more: it is \(core.state(record))", field: "handle", place: "path")
    }
    call.responder.json { core.writeDetail(record, at: .now(), to: &$0) }
  }
}
