import EventLoop
import HttpServer
import HttpWire

/// A request as a scripted peer read it.
struct SeenRequest: Sendable {
  let head: RequestHead
  /// The first ``ScriptedPeer/keptBytes`` of it.
  let body: [UInt8]
  let bodyCount: Int
  /// The connection's number in its peer, from 1.
  let connection: Int
  /// The request's number on its connection, from 1.
  let number: Int

  var target: String { head.target }
}

/// A server that does to each request what a test's script says, with what it saw kept for counting.
@LoopActor
final class ScriptedPeer {
  typealias Script = @LoopActor (PeerConnection, SeenRequest) -> Void

  private let server = HttpServer()
  private let script: Script
  /// How much of a body is kept.
  var keptBytes = 65_536
  /// Told of each connection before anything is read from it.
  var onConnection: ((PeerConnection) -> Void)?
  private(set) var address = SocketAddress.loopback(port: 0)
  private(set) var connections: [PeerConnection] = []
  private(set) var openCount = 0
  private(set) var mostOpen = 0
  nonisolated let requests = Record<SeenRequest>("requests at the peer")
  /// Numbers of connections whose client's end was seen to be gone.
  nonisolated let closed = Record<Int>("closed connections at the peer")
  nonisolated let accepted = Record<Int>("accepted connections at the peer")

  init(_ script: @escaping Script) {
    self.script = script
  }

  func start(on address: SocketAddress) throws {
    server.onAccept = { [unowned self] raw in
      let connection = PeerConnection(raw, number: connections.count + 1, peer: self)
      connections.append(connection)
      openCount += 1
      mostOpen = max(mostOpen, openCount)
      accepted.add(connection.number)
      onConnection?(connection)
      connection.start()
      return true
    }
    self.address = try server.listen(on: address)
  }

  /// The URL of `path` here. A Unix peer gets a host name that does not exist.
  func url(_ path: String = "/") -> String {
    address.path == nil ? "http://\(address)\(path)" : "http://unix.invalid\(path)"
  }

  func cutAll() {
    for connection in connections { connection.reset() }
  }

  func stop() async {
    await server.close(grace: .zero)
    server.onAccept = nil
    onConnection = nil
    for connection in connections { connection.forget() }
  }

  /// Writes to several connections, by number, before the loop looks at any socket again.
  func writeInOneTurn(_ pieces: [(connection: Int?, text: String)]) {
    for (number, text) in pieces { connections.first { $0.number == number }?.write(text) }
  }

  /// Has `watch` see each head before its body, on these and later connections; true ends the reading of requests there.
  func watchHeads(_ watch: @escaping @LoopActor (PeerConnection, RequestHead) -> Bool) {
    for connection in connections { connection.onHead = { [unowned connection] in watch(connection, $0) } }
    onConnection = { connection in connection.onHead = { [unowned connection] in watch(connection, $0) } }
  }

  /// Leaves what comes on later connections in the kernel.
  func stopReadingNewConnections() {
    onConnection = { $0.isDeaf = true }
  }

  /// Answers each request that was not answered yet.
  func answerAll(_ body: String = "late") {
    for connection in connections where connection.isOwing { connection.answer(body) }
  }

  fileprivate func run(_ connection: PeerConnection, _ request: SeenRequest) {
    script(connection, request)
    requests.add(request)
  }

  fileprivate func ended(_ connection: PeerConnection) {
    openCount -= 1
    closed.add(connection.number)
  }
}

/// One connection of a scripted peer, with any bytes at any time.
@LoopActor
final class PeerConnection {
  let number: Int
  private let raw: RawConnection
  private unowned let peer: ScriptedPeer
  private var reader = RequestReader(limits: WireLimits())
  private var head: RequestHead?
  private var body: [UInt8] = []
  private var requestCount = 0
  private var bodyCount = 0
  private(set) var receivedCount = 0
  /// Came before reading was stopped, and was not read.
  private var kept: [UInt8] = []
  /// Whether a request came that `answer` was not called for.
  private(set) var isOwing = false
  /// Told with each head, before the body; true stops the reading of requests.
  var onHead: ((RequestHead) -> Bool)?
  /// Reads nothing from the start.
  var isDeaf = false
  /// Told of any bytes.
  var onBytes: (() -> Void)?

  fileprivate init(_ raw: RawConnection, number: Int, peer: ScriptedPeer) {
    self.raw = raw
    self.number = number
    self.peer = peer
  }

  fileprivate func start() {
    if !isDeaf { raw.onBytes = { [unowned self] in read($0) } }
    raw.onEnd = { [unowned self] in raw.close() }
    raw.onClose = { [unowned self] in peer.ended(self) }
  }

  fileprivate func forget() {
    onHead = nil
    onBytes = nil
  }

  var isOpen: Bool { raw.isOpen }

  func write(_ text: String) { raw.write(text) }
  func write(_ bytes: [UInt8]) { raw.write(bytes) }

  /// Answers with Content-Length. `fields`: further header lines, each ended by CRLF.
  func answer(_ body: String = "ok", status: Int = 200, fields: String = "") {
    isOwing = false
    write("HTTP/1.1 \(status) Said\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
  }

  /// False: what was written waits above the high-water mark, until `onDrain`.
  func write(counted bytes: [UInt8]) -> Bool { raw.write(bytes) }
  var onDrain: (() -> Void)? {
    get { raw.onDrain }
    set { raw.onDrain = newValue }
  }

  func close() { raw.close() }
  func reset() { raw.reset() }
  func endWriting() { raw.endWriting() }
  /// Reads no more, and does not notice the end of the connection either.
  func stopReading() { raw.onBytes = nil }
  func resumeReading() {
    raw.onBytes = { [unowned self] in read($0) }
    let rest = kept
    kept = []
    receivedCount -= rest.count
    if !rest.isEmpty { read(rest) }
  }

  private func read(_ bytes: [UInt8]) {
    receivedCount += bytes.count
    onBytes?()
    var offset = 0
    while raw.isOpen || offset < bytes.count {
      guard let event = try? reader.next(bytes.span.bytes, at: &offset) else { return }
      switch event {
      case .head(let head):
        self.head = head
        (body, bodyCount) = ([], 0)
        if let onHead, onHead(head) {
          // Some of the body may have come with it.
          kept = Array(bytes[offset...])
          return stopReading()
        }
      case .body(let range):
        bodyCount += range.count
        body += bytes[range].prefix(peer.keptBytes - body.count)
      case .trailers:
        break
      case .end:
        guard let head else { return }
        requestCount += 1
        isOwing = true
        let request = SeenRequest(head: head, body: body, bodyCount: bodyCount, connection: number, number: requestCount)
        reader.reset()
        peer.run(self, request)
      }
    }
  }
}
