internal import Errand
internal import EventLoop
internal import HttpServer
internal import HttpWire

/// The lines of one NDJSON body on their way in. A long batch takes several turns of the loop, so that it holds nobody else up; its
/// answer is one body with a line for each of its lines. The lines of a turn that are journaled are one commit, and the next turn does not wait
/// for it.
@LoopActor
final class BatchSubmission {
  private static let linesPerTurn = 500

  /// What became of a line so far.
  private enum Line {
    case answered([UInt8])
    case accepted(Acceptance, Submission, number: Int)
  }

  private let body: [UInt8]
  private var lines: NdjsonLines
  private let owner: Owner
  private let responder: Responder
  private let core: DaemonCore
  private let reader: SubmissionReader
  private var answer: [UInt8] = []
  private var turn: [Line] = []

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
      guard let line = lines.next() else { return endTurn(isLast: true) }
      do throws(Problem) {
        let submission = try read(line)
        guard core.isTlsReady(submission) else { return submitLater(submission, line.number) }
        try accept(submission, line.number)
      } catch {
        refuse(error, line.number)
      }
    }
    endTurn(isLast: false)
    EventLoop.shared.enqueue { self.run() }
  }

  /// The lines after it wait: answers come in order.
  private func submitLater(_ submission: Submission, _ line: Int) {
    core.prepareTls(of: submission) { problem in
      do throws(Problem) {
        if let problem { throw problem }
        try self.accept(submission, line)
      } catch {
        self.refuse(error, line)
      }
      self.run()
    }
  }

  private func accept(_ submission: Submission, _ line: Int) throws(Problem) {
    let acceptance = try core.accept(submission, for: owner)
    guard case .new(let record) = acceptance, !record.isJournaled else {
      return turn.append(.accepted(acceptance, submission, number: line))
    }
    // Begun at once, in the order of the lines.
    turn.append(.answered(lineAnswer(core.begin(acceptance, submission, isKept: true), line)))
  }

  /// Answers a turn's lines when those that have to be on disk are.
  private func endTurn(isLast: Bool) {
    let lines = turn
    turn = []
    core.journal.afterWriting { isWritten in
      for line in lines {
        switch line {
        case .answered(let bytes): self.answer.append(contentsOf: bytes)
        case .accepted(let acceptance, let submission, let number):
          self.answer.append(contentsOf: self.lineAnswer(self.core.begin(acceptance, submission, isKept: isWritten), number))
        }
      }
      if isLast { self.responder.respond(status: 200, headers: ApiAnswer.linesHeaders, body: self.answer) }
    }
  }

  private func lineAnswer(_ result: Result<TakenRequest, Problem>, _ line: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    switch result {
    case .success(let taken): core.append(taken, to: &bytes)
    case .failure(var problem):
      problem.line = line
      problem.write(to: &bytes)
      bytes.append("\n")
    }
    return bytes
  }

  private func refuse(_ problem: Problem, _ line: Int) {
    turn.append(.answered(lineAnswer(.failure(problem), line)))
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
    var submission = try reader.read(json)
    if submission.durability == .journaled { submission.stored = StoredSubmission(json: Array(body[line.range])) }
    return submission
  }
}
