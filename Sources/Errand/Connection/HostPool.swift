internal import EventLoop

/// One origin's connections.
@LoopActor
final class HostPool {
  let origin: Origin
  let admissionIndex: AdmissionPolicy.HostIndex
  /// Connections without a request, the longest idle first.
  private(set) var idle: [Http1Connection] = []
  var openCount = 0
  var isInIdleOrder = false

  init(origin: Origin, admissionIndex: AdmissionPolicy.HostIndex) {
    self.origin = origin
    self.admissionIndex = admissionIndex
  }

  /// The connection that was used last: the least likely to be stale.
  func takeIdle() -> Http1Connection? {
    idle.popLast()
  }

  func putIdle(_ connection: Http1Connection) {
    idle.append(connection)
  }

  func removeIdle(_ connection: Http1Connection) {
    if let index = idle.lastIndex(where: { $0 === connection }) { idle.remove(at: index) }
  }
}
