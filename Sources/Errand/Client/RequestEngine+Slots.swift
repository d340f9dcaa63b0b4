internal import EventLoop

/// Who may have a connection, and when.
extension RequestEngine {
  func enqueue(_ item: RequestItem) {
    // Asked for anew after a back-off: nobody may have used the origin meanwhile, and it is forgotten then.
    let host = pool.host(item.origin)
    item.host = host
    if let slot = pool.admission.take(host.admissionIndex, owner: item.info.owner, at: EventLoop.shared.now) {
      grant(item, slot)
    } else if pool.admission.waiting >= configuration.maxQueued {
      apply(
        item.machine.refused(.queueFull, .queue, "\(configuration.maxQueued) requests are waiting already (limit max_queued)"), to: item)
    } else {
      item.place = pool.admission.wait(item.ticket.info.handle.id, host: host.admissionIndex, owner: item.info.owner)
      pump()
    }
  }

  private func grant(_ item: RequestItem, _ slot: AdmissionPolicy.Slot) {
    guard let host = item.host else { return }
    item.place = nil
    item.slot = slot
    if item.stamps.granted == nil { item.stamps.granted = EventLoop.shared.now }
    item.connection = host.best
    if item.connection != nil { counters.connectionsReused += 1 }
    apply(item.machine.slotGranted(item.connection.map { .ready(isShared: $0.isShared) } ?? .none), to: item)
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
    if let host = item.host { pool.forgetIfUnused(host) }
  }

  func freeSlot(_ item: RequestItem, isLent: Bool = false) {
    guard let host = item.host, let slot = item.slot else { return }
    item.slot = nil
    pool.admission.release(slot, isLent: isLent)
    pump()
    pool.forgetIfUnused(host)
  }
}
