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
    let scope = try ScopeReader.read(try core.jsonBody(call), owner: call.owner)
    let receipts = core.cancelling { core.client.cancelOnLoop(scope) }
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
    core.journal.afterWriting { [bytes] _ in call.responder.json(bytes) }
  }
}
