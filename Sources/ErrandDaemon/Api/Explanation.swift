internal import Errand
internal import EventLoop

/// What became of a request that has ended, in words and steps.
@LoopActor
enum Explanation {
  static func of(_ result: RequestResult, _ record: RequestRecord) -> String {
    let total = result.timings?.total ?? result.endedAt.microseconds(since: record.acceptedAt)
    let tries = result.attempts > 1 ? " on try \(result.attempts)" : ""
    switch result.state {
    case .finished:
      return "finished with status \(result.status ?? 0)\(tries), \(time(total)) after it was submitted"
    case .failed:
      return "failed\(tries) with \(result.errorCode ?? "an error"), \(time(total)) after it was submitted: \(result.message ?? "")"
    case .cancelled:
      let sent =
        switch result.sent {
        case .notSent: "nothing of it had been sent"
        case .maybeSent: "a part of it may have been sent"
        case .sent: "it had been sent"
        }
      return "was cancelled \(time(total)) after it was submitted; \(sent)"
    }
  }

  /// Its life, and its end.
  static func timeline(of result: RequestResult, _ record: RequestRecord) -> [RequestTrace.Step] {
    let end = result.timings?.total ?? result.endedAt.microseconds(since: record.acceptedAt)
    let life = result.steps.isEmpty ? [RequestTrace.Step(at: 0, event: "queued")] : result.steps
    return life + [RequestTrace.Step(at: max(end, life.last?.at ?? 0), event: result.state.rawValue, note: result.errorCode)]
  }

  private static func time(_ microseconds: Int64) -> String {
    if microseconds < 1_000 { return "\(microseconds) µs" }
    if microseconds < 999_950 {
      let tenths = (microseconds + 50) / 100
      return "\(tenths / 10).\(tenths % 10) ms"
    }
    let tenths = (microseconds + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
