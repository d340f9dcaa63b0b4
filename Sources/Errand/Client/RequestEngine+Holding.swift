internal import EventLoop

/// Requests that wait for something else than a slot: their time, or the end of a pause.
extension RequestEngine {
  /// More pauses at a time would make each submission slow.
  static let pauseLimit = 1_000

  /// Whether a request that was just submitted has to wait; it does then.
  func isHeld(_ item: RequestItem) -> Bool {
    let delay = item.rules.startDelay
    if delay > .zero {
      item.startTimer = EventLoop.shared.schedule(after: delay, item, kind: RequestStateMachine.Timer.start.rawValue)
    } else if !isPaused(item) {
      return false
    }
    apply(item.machine.hold(), to: item)
    return true
  }

  func startDeadline(_ item: RequestItem) {
    let length = item.rules.nanoseconds(of: .deadline)
    guard length > 0 else { return }
    item.deadlineTimer = EventLoop.shared.schedule(
      afterNanoseconds: length, item, kind: RequestStateMachine.Timer.deadline.rawValue)
  }

  /// Its time has come.
  func mayStart(_ item: RequestItem) {
    item.startTimer = .none
    letGo(item)
  }

  /// It has ended.
  func endWaiting(_ item: RequestItem) {
    guard item.deadlineTimer != .none || item.startTimer != .none else { return }
    EventLoop.shared.cancel(item.deadlineTimer)
    EventLoop.shared.cancel(item.startTimer)
    (item.deadlineTimer, item.startTimer) = (.none, .none)
  }

  private func letGo(_ item: RequestItem) {
    guard case .held = item.machine.state, item.startTimer == .none, !isPaused(item) else { return }
    item.machine.letGo()
    // One that was tried before has looked up what it needs.
    if item.machine.attempts == 0 { begin(item) } else { apply(item.machine.submitted(), to: item) }
  }

  private func isPaused(_ item: RequestItem) -> Bool { pauses.contains { $0.matches(item) } }

  // MARK: Pauses

  /// Gives how many requests that waited are held now; nil if there are too many pauses.
  func pause(_ scope: CancelScope) -> Int? {
    if !pauses.contains(where: { $0.isSame(as: scope) }) {
      guard pauses.count < RequestEngine.pauseLimit else { return nil }
      pauses.append(scope)
    }
    var count = 0
    for handle in table.handles(where: scope.matches) {
      guard let item = table[handle], case .queued = item.machine.state else { continue }
      apply(item.machine.hold(), to: item)
      count += 1
    }
    return count
  }

  /// Ends the pause of just this scope; gives how many requests go on. Those whose time has not come, or that another pause holds, don't.
  func resume(_ scope: CancelScope) -> Int? {
    guard let index = pauses.firstIndex(where: { $0.isSame(as: scope) }) else { return nil }
    pauses.remove(at: index)
    var count = 0
    for handle in table.handles(where: scope.matches) {
      guard let item = table[handle], case .held = item.machine.state else { continue }
      letGo(item)
      if case .held = item.machine.state { continue }
      count += 1
    }
    return count
  }

  // MARK: Priority

  /// Gives whether it still waits for a slot, or for something before that.
  func setPriority(_ priority: Int8, _ item: RequestItem) -> Bool {
    switch item.machine.state {
    case .new, .held, .backingOff, .preparing:
      item.priority = priority
      return true
    case .queued:
      item.priority = priority
      guard let place = item.place, let host = item.host else { return item.slot == nil }
      // It goes behind those of its new priority: they have waited for their turn there.
      item.place = pool.admission.wait(
        item.info.handle.id, host: host.admissionIndex, owner: item.info.owner, service: item.rules.service, priority: priority)
      pool.admission.leave(place)
      return true
    case .connecting, .exchanging, .ended: return false
    }
  }

  func explainWaiting(_ item: RequestItem, _ now: Instant) -> String {
    guard item.startTimer == .none else {
      let due = item.stamps.submitted + item.rules.startDelay
      return "waits for its time, \(now.duration(to: due).forPeople) from now"
    }
    return "is held by a pause, \(now.microseconds(since: item.stamps.submitted) / 1_000) ms after it was submitted"
  }
}
