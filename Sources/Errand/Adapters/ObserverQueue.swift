internal import Dispatch

/// Tells a client's observers, off the loop.
final class ObserverQueue: Sendable {
  private let observers: [any OutcomeObserver]
  private let queue = DispatchQueue(label: "errand.observers")

  /// nil if there is nobody to tell.
  init?(_ observers: [any OutcomeObserver]) {
    guard !observers.isEmpty else { return nil }
    self.observers = observers
  }

  func began(_ request: RequestInfo) {
    queue.async { for observer in self.observers { observer.requestBegan(request) } }
  }

  func ended(_ request: RequestInfo, _ outcome: Outcome, _ trace: RequestTrace?) {
    queue.async { for observer in self.observers { observer.requestEnded(request, outcome, trace) } }
  }
}

/// The end of a request that observers hear of if it comes to be its outcome.
final class ObservedEnd: Sendable {
  private let queue: ObserverQueue
  private let trace: RequestTrace?

  init(_ queue: ObserverQueue, _ trace: RequestTrace?) {
    self.queue = queue
    self.trace = trace
  }

  func happened(_ request: RequestInfo, _ outcome: Outcome) { queue.ended(request, outcome, trace) }
}
