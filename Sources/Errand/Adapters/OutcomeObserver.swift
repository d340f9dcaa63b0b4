/// Is told of every request of a client: to measure, to log, to trace. See ``HttpClient/Configuration/observers``.
///
/// Called on a serial queue of the observers' own, never on the loop, and beside the delegates: neither waits for the other. A request's two calls
/// come in their order.
public protocol OutcomeObserver: Sendable {
  /// A request was accepted. Default: nothing.
  func requestBegan(_ request: RequestInfo)
  /// A request has had its one outcome. `trace`: what happened to it when; nil for one that was refused before it began.
  func requestEnded(_ request: RequestInfo, _ outcome: Outcome, _ trace: RequestTrace?)
}

extension OutcomeObserver {
  public func requestBegan(_ request: RequestInfo) {}
}
