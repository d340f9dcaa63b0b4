public import EventLoop
import Glibc
internal import HttpWire

/// A small HTTP/1.1 server on the event loop, with registered handlers.
///
/// It lives on while it listens or has connections; ``close(grace:)`` ends it.
@LoopActor
public final class HttpServer {
  public nonisolated let configuration: ServerConfiguration
  /// Sees each accepted connection before a request is read, and gives true to keep it for itself.
  public var onAccept: ((RawConnection) -> Bool)?

  var handlers = HandlerTable()
  var dateField = DateField()
  private(set) var isClosing = false
  private(set) var listeners: [Listener] = []
  private var connections: [ServerConnection?] = []
  private var freeSlots: [Int] = []
  /// Connections now open.
  public private(set) var connectionCount = 0
  private var dirty: [ServerConnection] = []
  private var spareDirty: [ServerConnection] = []
  private var scratch: [UInt8] = []
  private var closers: [CheckedContinuation<Void, Never>] = []

  public nonisolated init(configuration: ServerConfiguration = ServerConfiguration()) {
    self.configuration = configuration
  }

  /// Adds a handler. The server keeps it.
  public func register(_ handler: any ResponseHandler) {
    handlers.add(handler)
  }

  /// Listens on `address` and gives the real one (port 0 asks the system for a free port). `mode` is the permission of a Unix socket,
  /// whose path is removed again when the server closes. Throws what `socket`, `bind` or `listen` say.
  @discardableResult
  public func listen(on address: SocketAddress, mode: UInt32? = nil) throws(SystemError) -> SocketAddress {
    guard !isClosing else { throw SystemError(errno: ESHUTDOWN, call: "listen") }
    let listener = try Listener(self, on: address, mode: mode)
    listeners.append(listener)
    if connectionCount >= configuration.maxConnections { listener.pause() }
    return listener.address
  }

  /// Listens on a socket that was handed over: it listens already and does not block. Its path, if it has one, stays when the server closes.
  public func listen(adopting descriptor: Int32) throws(SystemError) {
    guard !isClosing else { throw SystemError(errno: ESHUTDOWN, call: "listen") }
    listeners.append(Listener(self, adopting: descriptor))
    if connectionCount >= configuration.maxConnections { listeners.last?.pause() }
  }

  /// Stops accepting, closes idle connections at once, lets requests in progress end with `Connection: close` for `grace`, and cuts the
  /// rest. Returns when no connection is left. Later calls wait with the first; one with a shorter grace shortens it.
  public func close(grace: Duration) async {
    isClosing = true
    for listener in listeners { listener.close() }
    listeners = []
    for connection in connections { if let connection, connection.isIdle { connection.close() } }
    guard connectionCount > 0 else { return }
    let timer = EventLoop.shared.schedule(after: grace, GraceTimer(self), kind: 0)
    await withCheckedContinuation { closers.append($0) }
    EventLoop.shared.cancel(timer)
  }

  // MARK: Connections

  func accepted(_ descriptor: Int32, _ peer: SocketAddress) {
    let connection = ServerConnection(server: self, descriptor: descriptor, peer: peer)
    connection.slot = freeSlots.popLast() ?? connections.count
    if connection.slot == connections.count { connections.append(connection) } else { connections[connection.slot] = connection }
    connectionCount += 1
    if connectionCount >= configuration.maxConnections { for listener in listeners { listener.pause() } }
    connection.start()
    guard let onAccept else { return }
    let raw = connection.becomeRaw()
    if !onAccept(raw) { connection.becomeHttp() }
  }

  func closed(_ connection: ServerConnection) {
    connections[connection.slot] = nil
    freeSlots.append(connection.slot)
    connectionCount -= 1
    if connectionCount == 0 {
      connections = []
      freeSlots = []
      if isClosing { allClosed() }
    }
    acceptingMayResume()
  }

  func acceptingMayResume() {
    guard connectionCount < configuration.maxConnections else { return }
    for listener in listeners where listener.isPaused { listener.resume() }
  }

  fileprivate func cutAll() {
    for connection in connections { connection?.close(reset: true) }
  }

  private func allClosed() {
    let waiting = closers
    closers = []
    for closer in waiting { closer.resume() }
  }

  // MARK: What connections share

  /// Has the connection's `turnEnded` called at the end of this turn.
  func flushLater(_ connection: ServerConnection) {
    guard !connection.isDirty else { return }
    connection.isDirty = true
    if dirty.isEmpty { EventLoop.shared.atEndOfTurn { self.flushAll() } }
    dirty.append(connection)
  }

  private func flushAll() {
    var batch = spareDirty
    swap(&batch, &dirty)
    for connection in batch {
      connection.isDirty = false
      connection.turnEnded()
    }
    batch.removeAll(keepingCapacity: batch.count <= 1_024)
    spareDirty = batch
  }

  /// An empty buffer with capacity, to be given back: responses are put together in one that all connections share.
  func takeScratch() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &scratch)
    return taken
  }

  func giveBack(_ used: consuming [UInt8]) {
    guard used.capacity <= 524_288 else { return }
    used.removeAll(keepingCapacity: true)
    scratch = used
  }
}

/// Ends a server's grace time.
private final class GraceTimer: TimerTarget {
  private let server: HttpServer

  init(_ server: HttpServer) {
    self.server = server
  }

  @LoopActor func timerFired(_ kind: UInt8) {
    server.cutAll()
  }
}
