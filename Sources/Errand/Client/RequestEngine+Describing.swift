internal import EventLoop
internal import HttpWire

/// What requests are doing, in words.
extension RequestEngine {
  func describe(_ item: RequestItem, at now: Instant) -> RequestDescription {
    RequestDescription(
      info: item.info, state: state(item), host: item.origin.host, attempts: item.machine.attempts, sent: item.machine.sent,
      bytesWritten: item.written, bytesReceived: item.receivedCount, age: now.microseconds(since: item.stamps.submitted),
      connectionID: item.facts?.id, remoteAddress: item.facts?.address.description,
      isReusedConnection: item.facts.map { _ in item.isReused }, timeline: item.trace.timeline, explanation: explain(item, now))
  }

  func stats() -> ClientStats {
    var stats = counters
    stats.inFlight = table.count
    stats.queued = pool.admission.waiting
    stats.openConnections = pool.openCount
    stats.idleConnections = pool.idleCount
    return stats
  }

  func state(_ item: RequestItem) -> String {
    switch item.machine.state {
    case .new, .queued: "queued"
    case .connecting: "connecting"
    case .exchanging(let exchange):
      if !exchange.isWhole { "sending" } else if item.head == nil { "waiting" } else { "receiving" }
    case .backingOff: "backing_off"
    case .ended: "delivering"
    }
  }

  private func explain(_ item: RequestItem, _ now: Instant) -> String {
    let age = RequestEngine.seconds(now.microseconds(since: item.stamps.submitted))
    switch item.machine.state {
    case .new, .queued:
      guard let host = item.host else { return "was just submitted" }
      let used = pool.admission.inUse(host.admissionIndex)
      let waiting = pool.admission.waiting(host.admissionIndex)
      if used >= pool.admission.limits.perHost {
        return
          "waits for a slot for \(age): host \(item.origin) has \(used) of \(pool.admission.limits.perHost) connections in use, \(waiting) requests wait for it"
      }
      return "waits for a slot for \(age): \(pool.admission.inUse) of \(pool.admission.limits.total) connections in use in all"
    case .connecting:
      return "is \(item.attempt?.connector.explanation ?? "connecting to \(item.origin)"), \(age) after it was submitted"
    case .exchanging(let exchange):
      let peer = item.facts.map { "\($0.address)" } ?? "\(item.origin)"
      if !exchange.isWhole { return "has written \(item.written) bytes to \(peer), which takes no more just now" }
      let quiet = RequestEngine.seconds(
        now.microseconds(since: item.head == nil ? item.stamps.sent ?? item.stamps.submitted : item.stamps.lastActivity))
      if item.head == nil { return "was sent whole to \(peer) and waits for the response for \(quiet)" }
      return "has received \(item.receivedCount) bytes of the body from \(peer), the last of them \(quiet) ago"
    case .backingOff:
      return "waits to be sent again after try \(item.machine.attempts): \(item.retries.last?.reason ?? "the first failed")"
    case .ended:
      return "has ended; its outcome is on the way to the delegate"
    }
  }

  private static func seconds(_ microseconds: Int64) -> String {
    let tenths = (microseconds + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
