internal import Dispatch
internal import EventLoop

/// Carries events from the loop to the delegates' queues in batches: what one turn of the loop produced is one hop.
@LoopActor
final class DeliveryQueue {
  private let clientQueue = DispatchQueue(label: "errand.delivery")
  private var pending: [Delivery] = []
  /// Events that no delegate has been called for yet.
  private(set) var undelivered = 0
  private let delivered: @LoopActor @Sendable ([Delivery]) -> Void

  /// `delivered` is told of each batch, on the loop, after its delegates were called.
  init(delivered: @escaping @LoopActor @Sendable ([Delivery]) -> Void) {
    self.delivered = delivered
  }

  func add(_ delivery: Delivery) {
    if pending.isEmpty { EventLoop.shared.atEndOfTurn { self.flush() } }
    pending.append(delivery)
    undelivered += 1
  }

  private func flush() {
    let batch = pending
    pending = []
    pending.reserveCapacity(min(batch.count, 256))
    if batch.allSatisfy({ $0.ownQueue == nil }) { return send(batch, to: clientQueue) }
    var byQueue: [ObjectIdentifier: (queue: DispatchQueue, events: [Delivery])] = [:]
    for delivery in batch {
      let queue = delivery.ownQueue ?? clientQueue
      byQueue[ObjectIdentifier(queue), default: (queue, [])].events.append(delivery)
    }
    for (queue, events) in byQueue.values { send(events, to: queue) }
  }

  private func send(_ batch: [Delivery], to queue: DispatchQueue) {
    let delivered = self.delivered
    queue.async {
      for delivery in batch { delivery.deliver() }
      EventLoop.shared.enqueue {
        self.undelivered -= batch.count
        delivered(batch)
      }
    }
  }
}

extension Delivery {
  /// The queue that the caller gave, if any.
  var ownQueue: DispatchQueue? {
    switch sink {
    case .delegate(_, let queue), .completion(_, let queue): queue
    case .loop, .waiter: nil
    }
  }
}
