internal import EventLoop

/// Who may have a connection, and when.
extension RequestEngine {
  func enqueue(_ item: RequestItem) {
    if let local = item.local { return answer(item, from: local) }
    if configuration.circuitBreaker != nil, let refusal = refusalByBreaker(item.origin) { return refuse(item, byBreaker: refusal) }
    // Asked for anew after a back-off: nobody may have used the origin meanwhile, and it is forgotten then.
    let host = pool.host(item.origin)
    item.host = host
    if let slot = pool.admission.take(host.admissionIndex, owner: item.info.owner, service: item.rules.service, at: EventLoop.shared.now) {
      grant(item, slot)
    } else if item.machine.attempts == 0, !item.isReadmitted, let refusal = fullQueue(for: item, at: host) {
      refuse(item, .queueFull, refusal)
    } else {
      item.place = pool.admission.wait(
        item.ticket.info.handle.id, host: host.admissionIndex, owner: item.info.owner, service: item.rules.service, priority: item.priority)
      pump()
    }
  }

  /// Which limit on waiting requests is reached; nil if none is. One that was accepted before is not turned away as it comes back.
  private func fullQueue(for item: RequestItem, at host: HostPool) -> Refusal? {
    func full(_ count: Int, _ whose: String, _ limit: String) -> Refusal {
      Refusal(words: "\(count) requests \(whose) already (limit \(limit))", limit: limit)
    }
    if pool.admission.waiting >= configuration.maxQueued { return full(configuration.maxQueued, "are waiting", "max_queued") }
    if let limit = configuration.maxQueuedPerHost, pool.admission.waiting(host.admissionIndex) >= limit {
      return full(limit, "are waiting for \(item.origin)", "max_queued_per_host")
    }
    if let limit = configuration.maxQueuedPerOwner, let owner = item.info.owner, pool.admission.waiting(owner: owner) >= limit {
      return full(limit, "of \(owner) are waiting", "max_queued_per_owner")
    }
    return nil
  }

  /// It needs no slot, for it uses no connection.
  private func answer(_ item: RequestItem, from local: LocalSource) {
    if item.stamps.granted == nil { item.stamps.granted = EventLoop.shared.now }
    apply(item.machine.slotGranted(.none), to: item)
    item.connection = LocalConnection(local, engine: self)
    apply(item.machine.connected(), to: item)
  }

  private func refuse(_ item: RequestItem, byBreaker refusal: Refusal) {
    counters.refusedByBreaker += 1
    refuse(item, .denied, refusal)
  }

  private func refuse(_ item: RequestItem, _ code: HttpClientError.Code, _ refusal: Refusal) {
    item.set(refusal: refusal)
    apply(item.machine.refused(code, .queue, refusal.words), to: item)
  }

  private func grant(_ item: RequestItem, _ slot: AdmissionPolicy.Slot) {
    guard let host = item.host else { return }
    item.place = nil
    item.slot = slot
    if item.isToAskLeave, !item.machine.isRepeatable { askLeave(item) } else { begin(item, at: host) }
  }

  /// It keeps its slot while its caller makes a note of what may happen now.
  private func askLeave(_ item: RequestItem) {
    guard case .loop(let sink) = item.ticket.sink else { return }
    let handle = item.info.handle
    sink.requestWillBeSent(item.info) { [self] in
      guard let item = table[handle], item.isToAskLeave, case .queued = item.machine.state, item.slot != nil, let host = item.host else {
        return
      }
      item.isToAskLeave = false
      begin(item, at: host)
    }
  }

  private func begin(_ item: RequestItem, at host: HostPool) {
    guard isLetThrough(item) else {
      freeSlot(item)
      return refuse(item, byBreaker: refusalByBreaker(item.origin) ?? Refusal(words: "the circuit breaker of \(item.origin) is open"))
    }
    addToBudget(item)
    if item.stamps.granted == nil { item.stamps.granted = EventLoop.shared.now }
    guard item.feed?.isUnopened != true, let connection = host.carrier.best else { return apply(item.machine.slotGranted(.none), to: item) }
    item.connection = connection
    counters.connectionsReused += 1
    apply(item.machine.slotGranted(.ready(isShared: connection.isShared)), to: item)
  }

  /// Grants slots while there are any. Not recursive: a grant may end its request at once and free the slot again.
  func pump() {
    guard !isPumping else { return }
    isPumping = true
    while true {
      if connectResolved() { continue }
      guard let (id, slot) = pool.admission.next(at: EventLoop.shared.now) else { break }
      if let item = table[RequestHandle(id: id)] { grant(item, slot) }
    }
    isPumping = false
    rateTimer.set(pool.admission.nextWake, self)
  }

  /// What an origin turns out to speak says how many requests it may have in flight: with HTTP/2 as many as the server takes on the connections
  /// that it may have.
  func setLimit(_ host: HostPool) {
    var room = configuration.maxConnectionsPerHost
    if host.speech == .http2 {
      let (product, overflow) = room.multipliedReportingOverflow(by: max(1, host.room))
      room = overflow ? .max : product
    }
    let limit = min(room, configuration.maxInFlightPerHost)
    guard limit != pool.admission.limit(host.admissionIndex) else { return }
    pool.admission.setLimit(host.admissionIndex, limit)
    pump()
  }

  /// Runs `body`, during which freed slots stay free, and gives them out then.
  func holdingSlots<T>(_ body: () -> T) -> T {
    guard !isPumping else { return body() }
    isPumping = true
    let result = body()
    isPumping = false
    pump()
    return result
  }

  func leaveQueue(_ item: RequestItem) {
    if let place = item.place { pool.admission.leave(place) }
    item.place = nil
    // It has its slot already where it waits for its caller's leave.
    if item.slot != nil { return freeSlot(item) }
    if let host = item.host { pool.forgetIfUnused(host) }
  }

  func freeSlot(_ item: RequestItem, isLent: Bool = false) {
    guard let host = item.host, let slot = item.slot else { return }
    item.slot = nil
    pool.admission.release(slot, isLent: isLent)
    if pool.admission.waiting > 0 || !resolved.isEmpty { pump() }
    pool.forgetIfUnused(host)
  }
}
