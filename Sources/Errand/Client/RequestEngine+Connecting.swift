internal import EventLoop

/// How requests come to their connections and leave them.
extension RequestEngine {
  /// Finds a connection for a request that has a slot and none.
  func connect(_ item: RequestItem) {
    guard let host = item.host?.carrier else { return }
    if let old = item.connection {
      item.connection = nil
      item.forgetResponse()
      let reason = old.isShared ? "the server did not take it up" : "the kept connection had been closed by the server"
      item.add(retryOf: item.machine.attempts - 1, reason, .after(.zero))
      counters.retried += 1
      old.leave(item, isWhole: false)
    }
    if let feed = item.feed, feed.isUnopened { return open(feed, of: item) }
    if let shared = host.best, shared.isShared { return use(shared, for: item) }
    if let attempt = host.joinable {
      attempt.add(item)
      if attempt.connector.isResolving { lend(item) }
      return
    }
    let attempt = ConnectAttempt(host, Connector(Route(origin: host.origin, policy: connectPolicy)))
    host.add(attempt)
    attempt.add(item)
    attempt.connector.start { [self] in
      resolved(attempt)
    } done: { [self] outcome in
      ended(attempt, outcome)
    }
    if attempt.connector.isResolving { lend(item) }
  }

  func abandonConnect(_ item: RequestItem) {
    if let attempt = item.attempt {
      note(attempt, in: item)
      attempt.remove(item)
      if attempt.waiters.isEmpty { giveUp(attempt) }
    }
    let isLent = item.isLent
    item.isLent = false
    freeSlot(item, isLent: isLent)
  }

  func release(_ item: RequestItem, isWhole: Bool) {
    guard let connection = item.connection else { return }
    item.connection = nil
    if isWhole { item.connectionWasKept = true }
    connection.leave(item, isWhole: isWhole)
    item.feed?.rest()
    freeSlot(item)
  }

  private func use(_ connection: any HttpConnection, for item: RequestItem, isReused: Bool = false) {
    item.connection = connection
    counters.connectionsReused += 1
    apply(item.machine.connected(isShared: connection.isShared, isReused: isReused), to: item)
  }

  /// Has a body opened before a connection is looked for: what can't be opened is to cost none.
  private func open(_ feed: BodyFeed, of item: RequestItem) {
    feed.open { [self] result in
      switch result {
      case .failure(let error):
        bodyFailed(item, error)
      case .success(let head):
        item.opened(head: head, length: feed.length ?? -1)
        // Its time may have run out meanwhile, and another attempt be put off.
        guard case .connecting = item.machine.state else { return }
        if let connection = item.host?.carrier.best { use(connection, for: item, isReused: true) } else { connect(item) }
      }
    }
  }

  // MARK: Names that are being resolved

  /// Names whose servers are silent must not use up the connections that other hosts need.
  private func lend(_ item: RequestItem) {
    item.isLent = true
    pool.admission.lend()
    pump()
  }

  private func resolved(_ attempt: ConnectAttempt) {
    var isFree = false
    for item in attempt.waiters {
      if item.isLent { resolved.append(item) } else { isFree = true }
    }
    if isFree { pool.begin(attempt) } else { pump() }
  }

  /// Has the next request whose name is resolved go on, if there is room under the total limit.
  func connectResolved() -> Bool {
    guard let item = resolved.first(), pool.admission.reclaim() else { return false }
    resolved.removeFirst()
    item.isLent = false
    // One that joined others may find their connection made, or failed, by now.
    if let attempt = item.attempt {
      pool.begin(attempt)
    } else if let connection = item.host?.carrier.best {
      use(connection, for: item)
    } else {
      connect(item)
    }
    return true
  }

  // MARK: Attempts

  private func giveUp(_ attempt: ConnectAttempt) {
    attempt.connector.cancel()
    pool.ended(attempt)
  }

  private func ended(_ attempt: ConnectAttempt, _ outcome: Connector.Outcome) {
    pool.ended(attempt)
    let waiters = attempt.takeWaiters()
    for item in waiters { note(attempt, in: item) }
    switch outcome {
    case .failure(let failure):
      for item in waiters { connectFailed(item, failure) }
    case .success(let connected):
      counters.connectionsOpened += 1
      watchNetwork()
      let connection = makeConnection(connected, attempt.host)
      pool.opened(connection)
      if attempt.host.speech == .http1 { setLimit(attempt.host) }
      give(connection, to: waiters)
      (connection as? Http2Connection)?.take(connected.surplus)
    }
  }

  /// How far it has come.
  func note(_ attempt: ConnectAttempt, in item: RequestItem) {
    item.stamps.resolved = attempt.connector.resolvedAt
    item.stamps.connected = attempt.connector.connectedAt
  }

  private func connectFailed(_ item: RequestItem, _ failure: ConnectFailure) {
    guard case .connecting = item.machine.state else { return }
    item.mayPass = failure.mayPass
    var words = ""
    if failure.mayPass {
      switch failed(item, failure.phase == .dns ? .dns : .connect, failure.message) {
      case .retried: return
      case .final(let more): words = more
      }
    }
    apply(item.machine.connectFailed(failure.code, failure.phase, failure.message + words), to: item)
  }

  private func makeConnection(_ connected: Connected, _ host: HostPool) -> any HttpConnection {
    // That of a proxy says nothing of the origin.
    let facts = host.origin.isSecure ? connected.stream.tls?.facts : nil
    let isHttp2 = facts?.alpn == "h2" || !host.origin.isSecure && host.origin.options?.version == .http2
    host.speech = isHttp2 ? .http2 : .http1
    let connectionFacts = ConnectionFacts(
      id: pool.nextID(), address: connected.address, localAddress: Socket.localAddress(connected.stream.descriptor), isHttp2: isHttp2,
      tls: facts, tlsTime: connected.tlsTime, steps: connected.steps)
    if isHttp2 { return Http2Connection(connected.stream, connectionFacts, host: host, engine: self) }
    return Http1Connection(connected.stream, connectionFacts, host: host, engine: self)
  }

  /// Has those who waited for a connection use it, as far as it reaches; the others look for one of their own.
  private func give(_ connection: any HttpConnection, to waiters: [RequestItem]) {
    var isFresh = true
    for item in waiters where !item.isLent {
      // One of them may have ended by what became of another.
      guard case .connecting = item.machine.state, item.attempt == nil, item.connection == nil else { continue }
      if isFresh || connection.standing == .roomy {
        isFresh = false
        item.connection = connection
        apply(item.machine.connected(isShared: connection.isShared), to: item)
      } else {
        connect(item)
      }
    }
    // All who waited are gone.
    if isFresh { connection.rest() }
  }
}
