internal import EventLoop

/// The connections of one client, by origin, and the slots they are given out under.
@LoopActor
final class ConnectionPool {
  var admission: AdmissionPolicy
  private let maxConnections: Int
  private var hosts: [Origin: HostPool] = [:]
  /// Requests often go where the one before went.
  private var lastHost: HostPool?
  /// Hosts by the time at which they got an idle connection: where to look for one to give up. Each stands here once.
  private var idleOrder: [HostPool] = []
  private(set) var openCount = 0
  private(set) var idleCount = 0
  private var lastID: UInt64 = 0

  nonisolated init(perHost: Int, total: Int) {
    admission = AdmissionPolicy(AdmissionPolicy.Limits(perHost: perHost, total: total))
    maxConnections = max(1, total)
  }

  func host(_ origin: Origin) -> HostPool {
    if let lastHost, lastHost.origin == origin { return lastHost }
    let host = hosts[origin] ?? HostPool(origin: origin, admissionIndex: admission.addHost(origin.host))
    hosts[origin] = host
    lastHost = host
    return host
  }

  var idleConnections: [Http1Connection] { hosts.values.flatMap(\.idle) }
  var hostCount: Int { hosts.count }

  func takeIdle(_ host: HostPool) -> Http1Connection? {
    guard let connection = host.takeIdle() else { return nil }
    idleCount -= 1
    return connection
  }

  func putIdle(_ connection: Http1Connection) {
    let host = connection.host
    if !host.isInIdleOrder {
      host.isInIdleOrder = true
      idleOrder.append(host)
    }
    host.putIdle(connection)
    idleCount += 1
  }

  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  func opened(_ connection: Http1Connection) {
    connection.host.openCount += 1
    openCount += 1
  }

  /// Closes a connection that serves a request.
  func closeBusy(_ connection: Http1Connection) {
    guard connection.isOpen else { return }
    connection.close()
    connection.host.openCount -= 1
    openCount -= 1
  }

  /// Closes a connection without a request.
  func closeIdle(_ connection: Http1Connection) {
    guard connection.isOpen else { return }
    connection.host.removeIdle(connection)
    idleCount -= 1
    closeBusy(connection)
    forgetIfUnused(connection.host)
  }

  /// Under the total limit an idle connection of one host makes room for a new one of another.
  func makeRoom() {
    // Each slot in use has a connection or is about to; the caller's is among them.
    guard admission.inUse + idleCount > maxConnections, idleCount > 0 else { return }
    if idleOrder.first?.idle.isEmpty == true { dropEmptyHosts() }
    if let connection = idleOrder.first?.idle.first { closeIdle(connection) }
  }

  private func dropEmptyHosts() {
    idleOrder.removeAll { host in
      if host.idle.isEmpty { host.isInIdleOrder = false }
      return host.idle.isEmpty
    }
  }

  /// An origin that nobody uses or waits for costs nothing.
  func forgetIfUnused(_ host: HostPool) {
    guard host.openCount == 0, admission.inUse(host.admissionIndex) == 0, admission.waiting(host.admissionIndex) == 0 else { return }
    guard hosts[host.origin] === host, admission.removeHost(host.admissionIndex) else { return }
    hosts[host.origin] = nil
    if lastHost === host { lastHost = nil }
    if idleOrder.count > 2 * hosts.count + 64 { dropEmptyHosts() }
  }
}
