internal import EventLoop
internal import HttpWire

/// What requests are doing, in words.
extension RequestEngine {
  func describe(_ item: RequestItem, at now: Instant) -> RequestDescription {
    if let attempt = item.attempt { note(attempt, in: item) }
    return RequestDescription(
      info: item.info, state: state(item), host: item.origin.host, attempts: item.machine.attempts, sent: item.machine.sent,
      bytesWritten: item.written, bytesReceived: item.receivedCount, age: now.microseconds(since: item.stamps.submitted),
      connectionID: item.facts?.id, remoteAddress: item.facts?.address.description,
      isReusedConnection: item.facts.map { _ in item.isReused }, timeline: item.trace.timeline, explanation: explain(item, now))
  }

  func progress(_ item: RequestItem) -> RequestProgress {
    let (downloaded, total) = downloaded(item)
    return RequestProgress(
      uploaded: item.bodyWritten, uploadTotal: item.bodyCount < 0 ? nil : item.bodyCount, downloaded: downloaded, downloadTotal: total)
  }

  private func downloaded(_ item: RequestItem) -> (Int64, of: Int64?) {
    // What leads elsewhere is not what was asked for.
    guard let head = item.head, !item.isFollowedUp else { return (0, nil) }
    if let download = item.download, item.taker === download { return (download.reached, download.total) }
    return (item.receivedCount, item.method == .head ? nil : head.headers.contentLength)
  }

  func stats() -> ClientStats {
    var stats = counters
    stats.inFlight = table.count
    stats.queued = pool.admission.waiting
    stats.openBreakers = breakers.count { $0.state != .closed }
    stats.openConnections = pool.openCount
    stats.idleConnections = pool.idleCount
    return stats
  }

  func state(_ item: RequestItem) -> String {
    switch item.machine.state {
    case .new, .queued: "queued"
    case .held: "held"
    case .connecting: "connecting"
    case .exchanging(let exchange):
      if !exchange.isWhole { "sending" } else if item.head == nil { "waiting" } else { "receiving" }
    case .backingOff: "backing_off"
    case .preparing: item.decoding == nil ? "preparing" : "receiving"
    case .ended: "delivering"
    }
  }

  private func explain(_ item: RequestItem, _ now: Instant) -> String {
    if item.local != nil, case .exchanging = item.machine.state { return "is read on this machine" }
    let age = RequestEngine.seconds(now.microseconds(since: item.stamps.submitted))
    switch item.machine.state {
    case .held: return explainWaiting(item, now)
    case .new, .queued:
      guard let host = item.host, let place = item.place else { return "was just submitted" }
      return "waits for a slot for \(age): \(explain(pool.admission.blocker(of: place, at: now), host, owner: item.info.owner, now))"
    case .connecting where item.feed?.isUnopened == true:
      return "is opening the files of its body, \(age) after it was submitted"
    case .connecting:
      return "is \(item.attempt?.connector.explanation ?? "connecting to \(item.origin)"), \(age) after it was submitted"
    case .exchanging(let exchange):
      let peer = item.facts.map { "\($0.address)" } ?? "\(item.origin)"
      if item.feed?.isWaiting == true { return "has written \(item.written) bytes to \(peer), and waits for the rest of its body" }
      if !exchange.isWhole { return "has written \(item.written) bytes to \(peer), which takes no more just now" }
      let quiet = RequestEngine.seconds(
        now.microseconds(since: item.head == nil ? item.stamps.sent ?? item.stamps.submitted : item.stamps.lastActivity))
      if item.head == nil { return "was sent whole to \(peer) and waits for the response for \(quiet)" }
      return "has received \(item.receivedCount) bytes of the body from \(peer), the last of them \(quiet) ago"
    case .backingOff:
      guard let last = item.retries.last, case .after(let wait) = last.next else { return "waits to be sent again" }
      let rest = now.duration(to: last.at + wait).forPeople
      return "waits to be sent again in \(rest) after try \(last.attempt): \(last.reason)"
    case .preparing where item.decoding != nil:
      return "has received its response and decodes it"
    case .preparing:
      return item.download?.explanation ?? item.conversation?.auth.waiting ?? "is made ready to be sent on, after \(item.followWords)"
    case .ended:
      return "has ended; its outcome is on the way to the delegate"
    }
  }

  /// What keeps a request from its slot, and how many of its host it shares that with.
  private func explain(_ blocker: AdmissionPolicy.Blocker, _ host: HostPool, owner: String?, _ now: Instant) -> String {
    let waiting = pool.admission.waiting(host.admissionIndex)
    let others = waiting == 1 ? "1 request waits for it" : "\(waiting) requests wait for it"
    switch blocker {
    case .turn: return "host \(host.origin): others are before it, \(others)"
    case .total(let used, let limit): return "\(used) of \(limit) requests in flight in all"
    case .host(let used, let limit, let oldest):
      let what = host.speech == .http2 ? "requests in flight" : "connections in use"
      let age = oldest.map { ", the oldest for \($0.duration(to: now).forPeople)" } ?? ""
      return "host \(host.origin): \(used) of \(limit) \(what)\(age), \(others)"
    case .owner(let used, let limit): return "owner \(owner ?? ""): \(used) of \(limit) requests in flight"
    case .service(let name, let used, let limit): return "service \(name): \(used) of \(limit) requests in flight"
    case .rate(let name, let until):
      return "the rate of \(name): the next of its requests may go in \(now.duration(to: until).forPeople), \(others)"
    }
  }

  private static func seconds(_ microseconds: Int64) -> String {
    let tenths = (microseconds + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
