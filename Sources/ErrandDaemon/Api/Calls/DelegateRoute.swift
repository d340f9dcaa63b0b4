internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `GET /v1/delegates/{name}`: the state of one; `PUT` declares it: a mailbox to be followed, or a webhook that its events are sent to.
@LoopActor
final class DelegateRoute: ApiRoute {
  static let fields = ["type", "webhook"]
  let methods = [HttpMethod.get, .head, .put]
  let pattern: PathPattern = "/v1/delegates/{name}"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  private enum Declaration {
    /// It is to be there, as whatever it is.
    case any
    case mailbox
    case webhook(WebhookTarget)
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let id = try core.delegateID(call, &query)
    try query.finish()
    guard call.request.head.method == .put else {
      let mailbox = try core.mailbox(id)
      return call.responder.json { core.write(mailbox, to: &$0) }
    }
    let declaration = call.request.body.isEmpty ? .any : try declaration(try core.jsonBody(call), call.owner)
    let isNew = core.store.mailbox(id) == nil
    let mailbox = try core.makeMailbox(id)
    var secret: String?
    switch declaration {
    case .any: break
    case .mailbox: core.webhooks.end(mailbox)
    case .webhook(let target):
      core.webhooks.declare(mailbox, target)
      if let first = target.secrets.first, !first.hasPrefix("secret:") { secret = first }
    }
    core.journal.afterWriting { [core, secret] _ in
      call.responder.json(status: isNew ? 201 : 200) { core.write(mailbox, secret: secret, to: &$0) }
    }
  }

  private func declaration(_ json: JsonValue, _ owner: Owner) throws(Problem) -> Declaration {
    var type: String?
    var webhook: WebhookTarget?
    for member in try FieldReader.object(json, "", of: DelegateRoute.fields) {
      switch member.key {
      case "type":
        type = try FieldReader.text(member.value, "/type")
        guard type == "mailbox" || type == "webhook" else { throw .invalidValue("/type", "must be mailbox or webhook") }
      case "webhook": webhook = try core.webhooks.reader.read(member.value)
      default: throw .unknownField(member.key, at: "", among: DelegateRoute.fields)
      }
    }
    if let webhook {
      guard type != "mailbox" else { throw .invalidValue("/webhook", "can't stand beside the type mailbox") }
      if webhook.unixSocket != nil, !owner.isRoot, owner != core.ownOwner {
        throw .forbidden("only the user who runs the daemon may have it connect to a Unix socket", field: "/webhook/unix_socket")
      }
      return .webhook(webhook)
    }
    guard type != "webhook" else { throw .missing("/webhook") }
    return type == nil ? .any : .mailbox
  }
}
