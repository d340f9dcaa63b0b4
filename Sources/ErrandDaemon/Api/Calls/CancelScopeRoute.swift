internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `POST /v1/cancel`: cancels all requests that match each part of a scope.
@LoopActor
final class CancelScopeRoute: ApiRoute {
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/cancel"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let scope = try CancelScopeRoute.scope(try core.jsonBody(call), owner: call.owner)
    let receipts = core.client.cancelOnLoop(scope)
    var bytes: [UInt8] = []
    bytes.append("{\"cancelled\":")
    bytes.append(decimal: receipts.count { $0.result == .cancelled })
    bytes.append(",\"receipts\":[")
    for (index, receipt) in receipts.enumerated() {
      if index > 0 { bytes.append(",") }
      receipt.write(to: &bytes)
    }
    bytes.append("]}\n")
    core.log.write(.info, "scope cancelled", [("owner", call.owner.description), ("requests", "\(receipts.count)")])
    call.responder.json(bytes)
  }

  private static func scope(_ json: JsonValue, owner: Owner) throws(Problem) -> CancelScope {
    var scope = CancelScope()
    var isAll = false
    let object = try FieldReader.object(json, "")
    for member in object {
      switch member.key {
      case "delegate": scope.delegateName = try FieldReader.text(member.value, "/delegate")
      case "tag": scope.tag = Int(try FieldReader.integer(member.value, "/tag", .min ... .max))
      case "key": scope.key = try FieldReader.text(member.value, "/key")
      case "key_prefix": scope.keyPrefix = try FieldReader.text(member.value, "/key_prefix")
      case "host": scope.host = try FieldReader.text(member.value, "/host").lowercased()
      case "all":
        guard case .bool(true) = member.value else { throw .wrongType("/all", expected: "true", found: member.value) }
        isAll = true
      default: throw .unknownField(member.key, at: "")
      }
    }
    guard !object.isEmpty else {
      throw .invalidValue("", "names no scope: give delegate, tag, key, key_prefix or host, or \"all\": true")
    }
    if isAll, object.count > 1 { throw .invalidValue("/all", "can't stand beside other parts of a scope") }
    if owner.isRoot { return isAll ? .all : scope }
    scope.owner = owner.description
    return scope
  }
}
