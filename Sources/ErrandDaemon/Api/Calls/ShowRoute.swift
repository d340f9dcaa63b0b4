internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/requests/{handle}`: all about one request; `?wait=S` holds until its outcome and answers with that.
@LoopActor
final class ShowRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/requests/{handle}"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let wait = try query.seconds("wait", upTo: core.limits.waitSeconds)
    try query.finish()
    let record = try core.record(call.parameters[0], for: call.owner)
    if let wait { return OutcomeWaiter.wait(wait, for: record, call.responder, core) }
    call.responder.json { core.writeDetail(record, at: .now(), to: &$0) }
  }
}
