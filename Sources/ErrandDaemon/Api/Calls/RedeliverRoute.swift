internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `POST /v1/delegates/{name}/redeliver`: what a webhook did not take is sent once more, and what waits is tried at once.
@LoopActor
final class RedeliverRoute: ApiRoute {
  private static let limit = 10_000
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/delegates/{name}/redeliver"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let mailbox = try core.mailbox(try core.delegateID(call, &query))
    try query.finish()
    guard let sender = core.webhooks[mailbox.id] else {
      throw Problem(
        kind: "no_webhook", status: 409, title: "No webhook", detail: "the delegate has no webhook: its events wait to be followed")
    }
    let count = core.webhooks.redeliver(sender, limit: RedeliverRoute.limit)
    core.journal.afterWriting { _ in
      call.responder.json { writer in
        writer.beginObject()
        writer.member("redelivered", count)
        writer.endObject()
      }
    }
  }
}
