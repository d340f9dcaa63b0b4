internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// The lines of one NDJSON body on their way in. A long batch takes several turns of the loop, so that it holds nobody else up; its
/// answer is one body with a line for each of its lines.
@LoopActor
final class BatchSubmission {
  private static let linesPerTurn = 500

  private let body: [UInt8]
  private var lines: NdjsonLines
  private let owner: Owner
  private let responder: Responder
  private let core: DaemonCore
  private let reader: SubmissionReader
  private var answer: [UInt8] = []

  init(_ call: ApiCall, _ core: DaemonCore) throws(Problem) {
    body = call.request.body
    lines = NdjsonLines(body)
    owner = call.owner
    responder = call.responder
    self.core = core
    reader = SubmissionReader(rules: core.rules)
    let count = lines.count
    guard count <= core.limits.batchLines else {
      throw .tooLarge("the batch", count, limit: "batch_lines", core.limits.batchLines, unit: "lines")
    }
    answer.reserveCapacity(count * 48)
  }

  /// Goes on even if the caller is gone: what it handed over is handed over.
  func run() {
    for _ in 0..<BatchSubmission.linesPerTurn {
      guard let line = lines.next() else {
        return responder.respond(status: 200, headers: ApiAnswer.linesHeaders, body: answer)
      }
      do throws(Problem) {
        let submission = try read(line)
        guard core.isTlsReady(submission) else { return submitLater(submission, line.number) }
        try submit(submission)
      } catch {
        append(error, of: line.number)
      }
    }
    EventLoop.shared.enqueue { self.run() }
  }

  /// The lines after it wait: answers come in order.
  private func submitLater(_ submission: Submission, _ line: Int) {
    core.prepareTls(of: submission) { problem in
      do throws(Problem) {
        if let problem { throw problem }
        try self.submit(submission)
      } catch {
        self.append(error, of: line)
      }
      self.run()
    }
  }

  private func submit(_ submission: Submission) throws(Problem) {
    SubmitRoute.appendQueued(try core.submit(submission, for: owner), to: &answer)
  }

  private func append(_ problem: Problem, of line: Int) {
    var problem = problem
    problem.line = line
    problem.write(to: &answer)
    answer.append("\n")
  }

  private func read(_ line: NdjsonLines.Line) throws(Problem) -> Submission {
    guard line.range.count <= core.limits.lineBytes else {
      throw .tooLarge("the line", line.range.count, limit: "line_bytes", core.limits.lineBytes)
    }
    let body = self.body
    let json: JsonValue
    do throws(JsonError) {
      json = try JsonValue.parse(body.span.bytes.extracting(line.range))
    } catch {
      throw .malformedJson(error, firstLine: line.number)
    }
    return try reader.read(json)
  }
}
