internal import EventLoop

/// Rates: their tokens, and who waits for one.
extension AdmissionPolicy {
  /// When ``next(at:)`` may find somebody whose rate has a token again, if that comes first; nil if nobody waits for one.
  var nextWake: Instant? { wakeList.first?.at }

  /// Known to have no token.
  func isEmpty(rate: Int32) -> Bool {
    rate >= 0 && rates[Int(rate)].emptyUntil != nil
  }

  mutating func spend(_ rate: Int32, _ now: Instant) {
    guard rate >= 0 else { return }
    let index = Int(rate)
    _ = rates[index].bucket.take(at: now)
    let ready = rates[index].bucket.readyAt(now)
    rates[index].emptyUntil = ready > now ? ready : nil
  }

  /// Somebody waits for the rate's next token.
  mutating func awaitToken(_ rate: Int32) {
    let index = Int(rate)
    guard !rates[index].isInWakeList, let until = rates[index].emptyUntil else { return }
    rates[index].isInWakeList = true
    wakeList.insert(rate, until)
  }

  /// Lets those go on whose rates have a token again.
  mutating func wakeDue(_ now: Instant) {
    guard !rates.isEmpty else { return }
    while let (until, rate) = wakeList.first, until <= now {
      wakeList.removeFirst()
      rates[Int(rate)].isInWakeList = false
      refill(rate, now)
    }
  }

  /// Whether a rate that nobody waits for has a token by now.
  mutating func look(_ rate: Int32, _ now: Instant) {
    guard rate >= 0, let until = rates[Int(rate)].emptyUntil, until <= now else { return }
    refill(rate, now)
  }

  private mutating func refill(_ rate: Int32, _ now: Instant) {
    let index = Int(rate)
    let ready = rates[index].bucket.readyAt(now)
    rates[index].emptyUntil = ready > now ? ready : nil
    if rates[index].service >= 0 { return letGo(service: rates[index].service) }
    guard rates[index].emptyUntil == nil else {
      if !rates[index].throttled.isEmpty { awaitToken(rate) }
      return
    }
    // Origins of one name are few.
    while case let host = rates[index].throttled.first, host >= 0 { hostChanged(host) }
  }
}

/// Numbers by time: a heap with the earliest first.
struct WakeList: Sendable {
  private var entries: [(at: Instant, rate: Int32)] = []

  var first: (at: Instant, rate: Int32)? { entries.first }

  mutating func insert(_ rate: Int32, _ at: Instant) {
    entries.append((at, rate))
    var child = entries.count - 1
    while child > 0, case let parent = (child - 1) / 2, entries[child].at < entries[parent].at {
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < entries.count else { return }
      if child + 1 < entries.count, entries[child + 1].at < entries[child].at { child += 1 }
      guard entries[child].at < entries[parent].at else { return }
      entries.swapAt(parent, child)
      parent = child
    }
  }
}
