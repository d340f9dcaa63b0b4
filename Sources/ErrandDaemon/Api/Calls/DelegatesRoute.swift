internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/delegates`: the delegates there are, by owner and name, page by page.
@LoopActor
final class DelegatesRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/delegates"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let limit = try query.integer("limit", 1...1_000) ?? 100
    let cursor = try query.text("cursor")
    try query.finish()
    var after: DelegateID?
    if let cursor { after = try DelegatesRoute.id(cursor) }
    let page = core.store.mailboxes(call.owner, after: after, limit: limit)
    call.responder.json { writer in
      writer.beginObject()
      writer.key("delegates")
      writer.beginArray()
      for mailbox in page.mailboxes { core.write(mailbox, to: &writer) }
      writer.endArray()
      writer.key("next")
      if let next = page.next { writer.string("\(next.owner)/\(next.name)") } else { writer.null() }
      writer.endObject()
    }
  }

  /// The delegate that a cursor names, such as `uid:1000/agent-a`.
  private static func id(_ cursor: String) throws(Problem) -> DelegateID {
    let parts = cursor.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let owner = Owner(String(parts[0])), SubmissionRules.isDelegateName(String(parts[1])) else {
      throw .invalidValue("cursor", "is not one that a list gave", place: "query")
    }
    return DelegateID(owner: owner, name: String(parts[1]))
  }
}
