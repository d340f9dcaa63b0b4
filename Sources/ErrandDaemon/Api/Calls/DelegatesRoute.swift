internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/delegates`: the delegates there are, by name.
@LoopActor
final class DelegatesRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/delegates"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let mailboxes = core.store.mailboxes(call.owner)
    call.responder.json { writer in
      writer.beginObject()
      writer.key("delegates")
      writer.beginArray()
      for mailbox in mailboxes { mailbox.write(to: &writer) }
      writer.endArray()
      writer.endObject()
    }
  }
}
