internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/requests`: those that run and those whose result is still kept, the newest first.
@LoopActor
final class ListRoute: ApiRoute {
  let methods = [HttpMethod.get, .head]
  let pattern: PathPattern = "/v1/requests"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let filter = try RequestFilter(&query)
    let limit = try query.integer("limit", 1...1_000) ?? 100
    let cursor = try query.text("cursor")
    try query.finish()
    var before: RequestHandle?
    if let cursor {
      guard let handle = RequestHandle(cursor) else { throw .invalidValue("cursor", "is not one that a list gave", place: "query") }
      before = handle
    }
    let owner = call.owner
    let page = core.store.page(before: before, limit: limit, scan: ApiLimits.listScan) {
      owner.sees($0.owner) && filter.matches($0, core)
    }
    let now = Instant.now()
    call.responder.json { writer in
      writer.beginObject()
      writer.key("requests")
      writer.beginArray()
      for record in page.records { core.writeSummary(record, at: now, to: &writer) }
      writer.endArray()
      writer.key("next")
      if let next = page.next { writer.string(next.description) } else { writer.null() }
      writer.endObject()
    }
  }
}
