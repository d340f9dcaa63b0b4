internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/delegates/{name}/events`: follow as `text/event-stream`, or ask for what there is, as JSON, with a long poll.
@LoopActor
final class EventsRoute: ApiRoute {
  let methods = [HttpMethod.get]
  let pattern: PathPattern = "/v1/delegates/{name}/events"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let id = try core.delegateID(call, &query)
    let headers = call.request.head.headers
    var after: UInt64? = try query.integer("after", 0...UInt64.max)
    if let text = headers["Last-Event-ID"], !text.isEmpty {
      guard let seq = UInt64(text) else { throw .invalidValue("Last-Event-ID", "is not the id of an event", place: "header") }
      // What the follower itself has seen is later than where its first URL began.
      after = seq
    }
    if headers.values("Accept").contains(where: { $0.lowercased().contains("text/event-stream") }) {
      try query.finish()
      guard !core.isDraining else { throw .unavailable("the daemon is ending") }
      return EventFollower(try core.makeMailbox(id), after: after, call.responder, core).begin()
    }
    let wait = try query.seconds("wait", upTo: core.limits.waitSeconds) ?? .zero
    let limit = try query.integer("limit", 1...1_000) ?? 100
    try query.finish()
    let mailbox = try core.makeMailbox(id)
    // When the daemon ends, only requests under way bring more.
    let mayWait = !core.isDraining || mailbox.runningCount > 0
    EventPoll(mailbox, after: after, limit: limit, call.responder, core).begin(wait: mayWait ? wait : .zero)
  }
}
