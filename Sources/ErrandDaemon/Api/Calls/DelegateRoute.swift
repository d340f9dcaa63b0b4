internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/delegates/{name}`: the state of one; `PUT` declares it.
@LoopActor
final class DelegateRoute: ApiRoute {
  let methods = [HttpMethod.get, .head, .put]
  let pattern: PathPattern = "/v1/delegates/{name}"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let id = try core.delegateID(call, &query)
    try query.finish()
    guard call.request.head.method == .put else {
      let mailbox = try core.mailbox(id)
      return call.responder.json { mailbox.write(to: &$0) }
    }
    if !call.request.body.isEmpty { try DelegateRoute.checkDeclaration(try core.jsonBody(call)) }
    let isNew = core.store.mailbox(id) == nil
    let mailbox = try core.makeMailbox(id)
    call.responder.json(status: isNew ? 201 : 200) { mailbox.write(to: &$0) }
  }

  private static func checkDeclaration(_ json: JsonValue) throws(Problem) {
    for member in try FieldReader.object(json, "", of: ["type"]) {
      guard member.key == "type" else { throw .unknownField(member.key, at: "", among: ["type"]) }
      switch try FieldReader.text(member.value, "/type") {
      case "mailbox": break
      case "webhook": throw .invalidValue("/type", "webhook is not supported by this version; there is mailbox")
      default: throw .invalidValue("/type", "must be mailbox")
      }
    }
  }
}
