internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /healthz`: the loop runs.
@LoopActor
final class HealthRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/healthz"

  func answer(_ call: ApiCall) throws(Problem) {
    call.responder.json { writer in
      writer.beginObject()
      writer.member("status", "ok")
      writer.endObject()
    }
  }
}

/// `GET /readyz`: new requests are taken; 503 while the daemon ends, and while it can't keep those that are to be journaled.
@LoopActor
final class ReadyRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/readyz"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    let refusal = core.journal.state == .off ? nil : core.journal.refusal
    let isReady = !core.isDraining && refusal == nil
    call.responder.json(status: isReady ? 200 : 503) { writer in
      writer.beginObject()
      writer.member("status", isReady ? "ready" : core.isDraining ? "draining" : refusal?.kind ?? "")
      if let refusal, !core.isDraining { writer.member("detail", refusal.detail) }
      writer.endObject()
    }
  }
}
