internal import Errand
internal import EventLoop

/// What is counted of requests as they end. A few additions each: no text is made, and what may be many is bounded.
struct RequestMetrics {
  /// Owners that are counted by themselves.
  static let ownerLimit = 100
  private static let codeLimit = 64
  static let phases = ["queue", "dns", "connect", "tls", "first_byte", "total"]

  struct Ends {
    var finished: UInt64 = 0
    var failed: UInt64 = 0
    var cancelled: UInt64 = 0

    mutating func add(_ state: RequestResult.State) {
      switch state {
      case .finished: finished += 1
      case .failed: failed += 1
      case .cancelled: cancelled += 1
      }
    }
  }

  private(set) var ends = Ends()
  private(set) var byOwner: [Owner: Ends] = [:]
  private(set) var otherOwners = Ends()
  private(set) var reaches = [UInt64](repeating: 0, count: RequestTrace.Reach.allCases.count)
  private(set) var failures: [String: UInt64] = [:]
  private(set) var phases = [Histogram](repeating: Histogram(), count: RequestMetrics.phases.count)
  private(set) var fullHandshakes: UInt64 = 0
  private(set) var resumedHandshakes: UInt64 = 0
  private(set) var loopLag = Histogram()

  mutating func ended(_ result: RequestResult, of owner: Owner) {
    ends.add(result.state)
    if byOwner[owner] != nil || byOwner.count < RequestMetrics.ownerLimit {
      byOwner[owner, default: Ends()].add(result.state)
    } else {
      otherOwners.add(result.state)
    }
    reaches[(result.trace?.reach ?? .none).rawValue] += 1
    if let code = result.errorCode {
      failures[failures[code] != nil || failures.count < RequestMetrics.codeLimit ? code : "other", default: 0] += 1
    }
    if let trace = result.trace, trace.isReusedConnection == false, let tls = trace.tls {
      if tls.isResumed { resumedHandshakes += 1 } else { fullHandshakes += 1 }
    }
    guard let timings = result.timings else { return }
    let times = (timings.queue, timings.dns, timings.connect, timings.tls, timings.firstByte)
    if let time = times.0 { phases[0].add(time) }
    if let time = times.1 { phases[1].add(time) }
    if let time = times.2 { phases[2].add(time) }
    if let time = times.3 { phases[3].add(time) }
    if let time = times.4 { phases[4].add(time) }
    phases[5].add(timings.total)
  }

  mutating func lagged(_ microseconds: Int64) { loopLag.add(max(0, microseconds)) }
}
