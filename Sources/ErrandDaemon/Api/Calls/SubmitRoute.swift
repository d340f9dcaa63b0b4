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
      return try many(call)
    }
    let record = try core.submit(try SubmissionReader(rules: core.rules).read(try core.jsonBody(call)), for: call.owner)
    guard let wait else {
      var bytes: [UInt8] = []
      Self.appendQueued(record, to: &bytes)
      return call.responder.json(bytes, status: 202)
    }
    OutcomeWaiter.wait(wait, for: record, call.responder, core)
  }

  private func many(_ call: ApiCall) throws(Problem) {
    let body = call.request.body
    let lines = NdjsonLines(body)
    guard lines.count <= core.limits.batchLines else {
      throw .tooLarge("the batch", limit: "batch_lines", core.limits.batchLines, unit: "lines")
    }
    let reader = SubmissionReader(rules: core.rules)
    var answer: [UInt8] = []
    answer.reserveCapacity(lines.count * 48)
    for line in lines {
      do throws(Problem) {
        Self.appendQueued(try core.submit(try read(line, of: body, reader), for: call.owner), to: &answer)
      } catch {
        var problem = error
        problem.line = line.number
        problem.write(to: &answer)
        answer.append("\n")
      }
    }
    call.responder.respond(status: 200, headers: ApiAnswer.linesHeaders, body: answer)
  }

  private func read(_ line: NdjsonLines.Line, of body: [UInt8], _ reader: SubmissionReader) throws(Problem) -> Submission {
    guard line.range.count <= core.limits.lineBytes else { throw .tooLarge("the line", limit: "line_bytes", core.limits.lineBytes) }
    let json: JsonValue
    do throws(JsonError) {
      json = try JsonValue.parse(body.span.bytes.extracting(line.range))
    } catch {
      throw .malformedJson(error, firstLine: line.number)
    }
    return try reader.read(json)
  }

  private static func isLines(_ contentType: String) -> Bool {
    let type = contentType.lowercased()
    return type.hasPrefix("application/x-ndjson") || type.hasPrefix("application/ndjson")
  }

  private static func appendQueued(_ record: RequestRecord, to bytes: inout [UInt8]) {
    bytes.append("{\"handle\":\"")
    bytes.append(decimal: record.handle.id)
    bytes.append("\",\"state\":\"queued\"}\n")
  }
}

extension DaemonCore {
  func jsonBody(_ call: ApiCall) throws(Problem) -> JsonValue {
    do throws(JsonError) {
      return try JsonValue.parse(call.request.body)
    } catch {
      throw .malformedJson(error)
    }
  }
}
