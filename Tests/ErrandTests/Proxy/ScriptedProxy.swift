import EventLoop
import HttpServer
import Testing

@testable import Errand

/// A proxy that does to each connection what a test's script says, byte by byte if need be.
@LoopActor
final class ScriptedProxy {
  /// Called whenever bytes have come.
  typealias Script = @LoopActor (ProxyConnection) -> Void

  private let server = HttpServer()
  private(set) var port: UInt16 = 0
  private(set) var connections: [ProxyConnection] = []
  nonisolated let accepted = Record<Int>("accepted connections at the proxy")
  /// Numbers of connections that the client has ended, or that were closed here.
  nonisolated let closed = Record<Int>("closed connections at the proxy")
  /// What the script found worth keeping.
  nonisolated let seen = Record<String>("what the proxy saw")

  init(_ script: @escaping Script) throws {
    server.onAccept = { [unowned self] raw in
      let connection = ProxyConnection(raw, number: connections.count + 1, self)
      connections.append(connection)
      connection.start(script)
      accepted.add(connection.number)
      return true
    }
    port = try server.listen(on: .loopback(port: 0)).port ?? 0
  }

  func forgetServers() {
    for connection in connections {
      connection.server?.onRequest = nil
      connection.server?.onOutput = nil
      connection.server = nil
    }
  }

  func stop() async {
    await server.close(grace: .zero)
    server.onAccept = nil
  }
}

/// One connection of a scripted proxy.
@LoopActor
final class ProxyConnection {
  let number: Int
  private let raw: RawConnection
  private unowned let proxy: ScriptedProxy
  /// What came and was not taken.
  private(set) var received: [UInt8] = []
  private var searchedCount = 0
  /// Where the script is; it alone counts on.
  var stage = 0
  /// What is behind the tunnel, where a script wants HTTP/2 there.
  var server: Http2Server?

  fileprivate init(_ raw: RawConnection, number: Int, _ proxy: ScriptedProxy) {
    self.raw = raw
    self.number = number
    self.proxy = proxy
  }

  fileprivate func start(_ script: @escaping ScriptedProxy.Script) {
    raw.onBytes = { [unowned self] bytes in
      received += bytes
      script(self)
    }
    raw.onEnd = { [unowned self] in raw.close() }
    raw.onClose = { [unowned self] in proxy.closed.add(number) }
  }

  /// Takes `count` bytes if they are there.
  func take(_ count: Int) -> [UInt8]? {
    guard received.count >= count else { return nil }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  /// Takes a head with its empty line if it is there.
  func takeHead() -> String? {
    // Some heads are megabytes long and come in many pieces.
    let start = max(0, min(searchedCount, received.count) - 3)
    guard let end = received[start...].firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else {
      searchedCount = received.count
      return nil
    }
    searchedCount = 0
    defer { received.removeFirst(end) }
    return String(decoding: received[..<end], as: UTF8.self)
  }

  func keep(_ text: String) { proxy.seen.add(text) }
  func write(_ text: String) { raw.write(text) }
  func write(_ bytes: [UInt8]) { raw.write(bytes) }
  func close() { raw.close() }
  func reset() { raw.reset() }

  /// Writes each byte in a turn of its own.
  func trickle(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    write([first])
    after(.milliseconds(1)) { self.trickle(Array(bytes.dropFirst())) }
  }

  /// Answers each request that comes through with its target, and keeps its head.
  func serveRequests() {
    while let head = takeHead() {
      keep(head)
      let target = head.split(separator: " ")[1]
      write("HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\n\r\n\(target)")
    }
  }

  /// SOCKS 5 without a login: keeps the destination and answers with `reply`; behind a tunnel it is the origin.
  func socks(reply: (String) -> UInt8 = { _ in 0 }) {
    if stage == 0, take(3) != nil {
      stage = 1
      write([5, 0])
    }
    if stage == 1, let destination = takeDestination() {
      keep(destination)
      stage = 2
      let code = reply(destination)
      write([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
      if code != 0 { close() }
    }
    if stage == 2 { serveRequests() }
  }

  /// Such as `name a.test:80` or `address 127.0.0.1:80`.
  private func takeDestination() -> String? {
    guard received.count >= 5 else { return nil }
    let length = received[3] == 3 ? 1 + Int(received[4]) : received[3] == 1 ? 4 : 16
    guard let bytes = take(4 + length + 2) else { return nil }
    let port = Int(bytes[bytes.count - 2]) << 8 | Int(bytes[bytes.count - 1])
    if bytes[3] == 3 { return "name \(String(decoding: bytes[5..<bytes.count - 2], as: UTF8.self)):\(port)" }
    return "address \(ipText(Array(bytes[4..<bytes.count - 2])) ?? "?"):\(port)"
  }
}

/// Runs a test with a client and a scripted proxy, and looks afterwards at what must hold whatever happened, as `scene` does.
func proxyScene(
  _ configuration: HttpClient.Configuration = .test, _ script: @escaping ScriptedProxy.Script,
  sourceLocation: SourceLocation = #_sourceLocation,
  test: (HttpClient, ScriptedProxy) async throws -> Void
) async throws {
  let proxy = try await ScriptedProxy(script)
  let client = HttpClient(configuration)
  do {
    try await test(client, proxy)
  } catch {
    await client.shutdown(grace: .zero)
    await proxy.stop()
    throw error
  }
  await expectNothingLeft(client, sourceLocation)
  let all = await proxy.connections.count
  _ = try await proxy.closed.wait { Set($0).count >= all }
  await proxy.stop()
}

extension HttpRequest {
  /// A request through a proxy.
  static func through(_ proxy: String, _ url: String, _ change: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
    var request = HttpRequest(url)
    request.proxy = .url(proxy, noProxy: "")
    change(&request)
    return request
  }
}

extension HttpClient {
  /// Sends a request whose answer is expected to have this body.
  func expect(_ text: String, _ request: HttpRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let response = try await send(request)
    #expect(response.text == text, sourceLocation: sourceLocation)
  }
}
