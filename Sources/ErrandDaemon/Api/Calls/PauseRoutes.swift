internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `POST /v1/pause`: what matches each part of a scope and is not sent yet is held, and so is what is submitted later and matches, until
/// `POST /v1/resume` with the same scope. A restart ends all pauses.
@LoopActor
final class PauseRoute: ApiRoute {
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/pause"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let scope = try ScopeReader.read(try core.jsonBody(call), owner: call.owner)
    guard let count = core.client.pauseOnLoop(scope) else { throw .tooMany("pauses", limit: "pauses", 1_000) }
    core.log.write(.info, "scope paused", [("owner", call.owner.description), ("requests", "\(count)")])
    call.responder.json { writer in
      writer.beginObject()
      writer.member("held", count)
      writer.endObject()
    }
  }
}

/// `POST /v1/resume`: ends the pause of just this scope.
@LoopActor
final class ResumeRoute: ApiRoute {
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/resume"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let scope = try ScopeReader.read(try core.jsonBody(call), owner: call.owner)
    guard let count = core.client.resumeOnLoop(scope) else {
      throw Problem(kind: "not_paused", status: 409, title: "Not paused", detail: "nothing paused just this scope")
    }
    core.log.write(.info, "scope resumed", [("owner", call.owner.description), ("requests", "\(count)")])
    call.responder.json { writer in
      writer.beginObject()
      writer.member("resumed", count)
      writer.endObject()
    }
  }
}
