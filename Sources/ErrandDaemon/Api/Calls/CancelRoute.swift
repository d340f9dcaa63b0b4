internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `DELETE /v1/requests/{handle}`: cancels one request and says what that did.
@LoopActor
final class CancelRoute: ApiRoute {
  let methods = [HttpMethod.delete]
  let pattern: PathPattern = "/v1/requests/{handle}"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    try call.query().finish()
    let record = try core.record(call.parameters[0], for: call.owner)
    var bytes: [UInt8] = []
    if let result = record.end {
      CancelReceipt(handle: record.handle, result: .alreadyFinished, sent: result.sent, bytesWritten: result.bytesWritten)
        .write(to: &bytes)
    } else {
      core.cancelling { core.client.cancelOnLoop(record.handle) }.write(to: &bytes)
    }
    bytes.append("\n")
    // It stays cancelled, whatever happens to the daemon now.
    guard record.isJournaled else { return call.responder.json(bytes) }
    core.journal.afterWriting { [bytes] _ in call.responder.json(bytes) }
  }
}
