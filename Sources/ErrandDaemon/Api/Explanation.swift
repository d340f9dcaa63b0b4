internal import Errand
internal import EventLoop

/// One line of a timeline.
struct TimelineStep {
  /// Microseconds since the request was submitted.
  let at: Int64
  let event: String
  let note: String?
}

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

  static func timeline(of result: RequestResult, _ record: RequestRecord) -> [TimelineStep] {
    var steps = [TimelineStep(at: 0, event: "queued", note: nil)]
    if let timings = result.timings {
      var at: Int64 = 0
      if let queue = timings.queue {
        at += queue
        steps.append(.init(at: at, event: "slot", note: nil))
      }
      if let dns = timings.dns {
        at += dns
        steps.append(.init(at: at, event: "resolved", note: nil))
      }
      if let connect = timings.connect {
        at += connect
        steps.append(.init(at: at, event: "connected", note: nil))
      }
      if let head = timings.firstByte { steps.append(.init(at: head, event: "head", note: result.status.map(String.init))) }
    }
    let end = result.timings?.total ?? result.endedAt.microseconds(since: record.acceptedAt)
    steps.append(.init(at: end, event: result.state.rawValue, note: result.errorCode))
    return steps
  }

  private static func time(_ microseconds: Int64) -> String {
    if microseconds < 1_000_000 { return "\(microseconds / 1_000).\(microseconds % 1_000 / 100) ms" }
    return "\(microseconds / 1_000_000).\(microseconds % 1_000_000 / 100_000) s"
  }
}
