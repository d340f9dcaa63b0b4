internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `POST /v1/delegates/{name}/ack`: the events up to a number are done with.
@LoopActor
final class AcknowledgeRoute: ApiRoute {
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/delegates/{name}/ack"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let mailbox = try core.mailbox(try core.delegateID(call, &query))
    try query.finish()
    var through: UInt64?
    for member in try FieldReader.object(try core.jsonBody(call), "", of: ["through"]) {
      guard member.key == "through" else { throw .unknownField(member.key, at: "", among: ["through"]) }
      through = UInt64(try FieldReader.integer(member.value, "/through", 0 ... .max))
    }
    guard let through else { throw .missing("/through") }
    guard through <= mailbox.lastSeq else { throw .invalidValue("/through", "is beyond the last event, \(mailbox.lastSeq)") }
    core.store.acknowledge(mailbox, through: through)
    core.journal.afterWriting { _ in call.responder.json { self.core.write(mailbox, to: &$0) } }
  }
}
