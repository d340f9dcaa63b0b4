internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// `POST /v1/requests`: one request as JSON, or many as NDJSON, answered line by line in order.
@LoopActor
final class SubmitRoute: ApiRoute {
  let methods = [HttpMethod.post]
  let pattern: PathPattern = "/v1/requests"
  private let core: DaemonCore

  init(_ core: DaemonCore) {
    self.core = core
  }

  func answer(_ call: ApiCall) throws(Problem) {
    var query = try call.query()
    let wait = try query.seconds("wait", upTo: core.limits.waitSeconds)
    try query.finish()
    if let type = call.request.head.headers["Content-Type"], SubmitRoute.isLines(type) {
      guard wait == nil else {
        throw .invalidValue("wait", "is for a single request; follow a delegate's events for many", place: "query")
      }
      return try BatchSubmission(call, core).run()
    }
    var submission = try SubmissionReader(rules: core.rules).read(try core.jsonBody(call))
    submission.stored = StoredSubmission(json: call.request.body)
    // A trace that the caller is part of goes on with its request (W3C Trace Context).
    for name in ["traceparent", "tracestate"] {
      if let value = call.request.head.headers[name], !submission.request.headers.contains(name) {
        submission.request.headers.append(name, value)
        submission.stored?.headers.append(StoredSubmission.Field(name: name, value: value))
      }
    }
    let core = self.core
    core.prepareTls(of: submission) { [submission] problem in
      if let problem { return call.responder.problem(problem) }
      core.submit(submission, for: call.owner) { result in
        switch result {
        case .success(let taken): SubmitRoute.answer(call, taken, wait, core)
        case .failure(let problem): call.responder.problem(problem)
        }
      }
    }
  }

  private static func answer(_ call: ApiCall, _ taken: TakenRequest, _ wait: Duration?, _ core: DaemonCore) {
    if let wait, let record = taken.record { return OutcomeWaiter.wait(wait, for: record, call.responder, core) }
    var bytes: [UInt8] = []
    core.append(taken, to: &bytes)
    call.responder.json(bytes, status: 202)
  }

  private static func isLines(_ contentType: String) -> Bool {
    let type = contentType.lowercased()
    return type.hasPrefix("application/x-ndjson") || type.hasPrefix("application/ndjson")
  }
}

extension DaemonCore {
  /// What a submitter is told of a request that was taken: `{"handle": …, "state": …}` on a line. One that was handed over before is where it is.
  func append(_ taken: TakenRequest, to bytes: inout [UInt8]) {
    bytes.append("{\"handle\":\"")
    bytes.append(decimal: taken.handle.id)
    bytes.append("\",\"state\":\"")
    bytes.append(contentsOf: (taken.isRepeated ? taken.record.map(state) ?? "ended" : "queued").utf8)
    bytes.append(taken.isRepeated ? "\",\"repeated\":true}\n" : "\"}\n")
  }

  func jsonBody(_ call: ApiCall) throws(Problem) -> JsonValue {
    do throws(JsonError) {
      return try JsonValue.parse(call.request.body)
    } catch {
      throw .malformedJson(error)
    }
  }
}
