internal import Dispatch
internal import EventLoop

/// Carries events from the loop to the delegates' queues in batches: what one turn of the loop produced is one hop.
@LoopActor
final class DeliveryQueue {
  private let clientQueue = DispatchQueue(label: "errand.delivery")
  private var pending: [Delivery] = []
  /// Some of them go to a queue of the caller's.
  private var isMixed = false
  /// Events that no delegate has been called for yet.
  private(set) var undelivered = 0

  nonisolated init() {}

  /// Sends an event with the turn's batch. `engine` is told when its delegate was called.
  func add(_ delivery: Delivery, of engine: RequestEngine) {
    if pending.isEmpty { EventLoop.shared.atEndOfTurn { self.flush(engine) } }
    pending.append(delivery)
    if delivery.ownQueue != nil { isMixed = true }
    undelivered += 1
  }

  /// Runs `body` where the client's delegates are called that gave no queue.
  func run(_ body: @escaping @Sendable () -> Void) { clientQueue.async(execute: body) }

  private func flush(_ engine: RequestEngine) {
    let batch = pending
    pending = []
    pending.reserveCapacity(min(batch.count, 256))
    guard isMixed else { return send(batch, to: clientQueue, engine) }
    isMixed = false
    var byQueue: [ObjectIdentifier: (queue: DispatchQueue, events: [Delivery])] = [:]
    for delivery in batch {
      let queue = delivery.ownQueue ?? clientQueue
      byQueue[ObjectIdentifier(queue), default: (queue, [])].events.append(delivery)
    }
    for (queue, events) in byQueue.values { send(events, to: queue, engine) }
  }

  private func send(_ batch: [Delivery], to queue: DispatchQueue, _ engine: RequestEngine) {
    queue.async {
      for delivery in batch { delivery.deliver() }
      EventLoop.shared.enqueue {
        self.undelivered -= batch.count
        engine.delivered(batch)
      }
    }
  }
}

extension Delivery {
  /// The queue that the caller gave, if any.
  var ownQueue: DispatchQueue? {
    switch ticket.sink {
    case .delegate(let queue), .completion(_, let queue): queue
    case .loop, .waiter, .stream: nil
    }
  }
}
