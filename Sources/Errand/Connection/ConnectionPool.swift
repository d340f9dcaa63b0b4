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

  nonisolated init(_ configuration: HttpClient.Configuration) {
    admission = AdmissionPolicy(AdmissionPolicy.Limits(configuration))
    maxConnections = max(1, configuration.maxConnections)
  }

  func host(_ origin: Origin) -> HostPool {
    if let lastHost, lastHost.origin == origin { return lastHost }
    let host = known(origin)
    lastHost = host
    return host
  }

  private func known(_ origin: Origin) -> HostPool {
    if let host = hosts[origin] { return host }
    let proxy = origin.carrier.map(known)
    proxy?.carriedCount += 1
    let host = HostPool(origin: origin, admissionIndex: admission.addHost(origin.host), proxy: proxy)
    hosts[origin] = host
    return host
  }

  /// Connections without a request, whether they may get one or not.
  var idleConnections: [any HttpConnection] { hosts.values.flatMap { $0.idle + $0.suspect } }
  var hostCount: Int { hosts.count }
  /// Connections being made just now.
  private(set) var connecting = 0

  func nextID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// The one place at which a connection changes its standing.
  func move(_ connection: any HttpConnection, to standing: ConnectionStanding) {
    let old = connection.standing
    guard old != standing, old != .closed else { return }
    let host = connection.host
    host.remove(connection, from: old)
    if old == .idle { idleCount -= 1 }
    connection.standing = standing
    host.add(connection, to: standing)
    switch standing {
    case .idle:
      if !host.isInIdleOrder {
        host.isInIdleOrder = true
        idleOrder.append(host)
      }
      idleCount += 1
    case .closed:
      connection.close()
      host.openCount -= 1
      openCount -= 1
      forgetIfUnused(host)
    case .busy, .roomy, .suspect: break
    }
  }

  /// A new connection, which is busy until it is moved.
  func opened(_ connection: any HttpConnection) {
    connection.host.openCount += 1
    openCount += 1
  }

  func close(_ connection: any HttpConnection) {
    move(connection, to: .closed)
  }

  /// Has an attempt connect whose name is resolved; one that does already goes on.
  func begin(_ attempt: ConnectAttempt) {
    guard !attempt.isConnecting else { return }
    connecting += 1
    makeRoom()
    attempt.connect()
  }

  /// An attempt has ended, whichever way.
  func ended(_ attempt: ConnectAttempt) {
    if attempt.isConnecting { connecting -= 1 }
    attempt.host.remove(attempt)
  }

  /// Under the total limit an idle connection of one host makes room for a new one of another.
  private func makeRoom() {
    guard openCount + connecting > maxConnections, idleCount > 0 else { return }
    if idleOrder.first?.idle.isEmpty == true { dropEmptyHosts() }
    if let connection = idleOrder.first?.idle.first { close(connection) }
  }

  private func dropEmptyHosts() {
    idleOrder.removeAll { host in
      if host.idle.isEmpty { host.isInIdleOrder = false }
      return host.idle.isEmpty
    }
  }

  /// An origin that nobody uses or waits for costs nothing.
  func forgetIfUnused(_ host: HostPool) {
    guard host.openCount == 0, host.attempts.isEmpty, host.carriedCount == 0 else { return }
    guard admission.inUse(host.admissionIndex) == 0, admission.waiting(host.admissionIndex) == 0 else { return }
    guard hosts[host.origin] === host, admission.removeHost(host.admissionIndex) else { return }
    hosts[host.origin] = nil
    if lastHost === host { lastHost = nil }
    if idleOrder.count > 2 * hosts.count + 64 { dropEmptyHosts() }
    if let proxy = host.proxy {
      proxy.carriedCount -= 1
      forgetIfUnused(proxy)
    }
  }
}
