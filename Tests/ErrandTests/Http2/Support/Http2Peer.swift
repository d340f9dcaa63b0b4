import EventLoop
import HttpServer
import Testing

@testable import Errand

/// Scripted HTTP/2 servers behind a listening socket, one for each connection.
@LoopActor
final class Http2Peer {
  private let listener = HttpServer()
  private let settings: KeyValuePairs<UInt16, UInt32>
  private let prepare: @LoopActor (Http2Server, Int) -> Void
  private var raw: [RawConnection] = []
  private(set) var address = SocketAddress.loopback(port: 0)
  /// Each connection's server, in the order in which they came.
  private(set) var servers: [Http2Server] = []
  private(set) var openCount = 0
  nonisolated let accepted = Record<Int>("accepted HTTP/2 connections")
  nonisolated let closed = Record<Int>("closed HTTP/2 connections")
  /// Complete requests with the index of their connection.
  nonisolated let requests = Record<(connection: Int, request: Http2Request)>("HTTP/2 requests at the peer")

  /// `prepare` scripts the server of each new connection, given the index of it.
  init(_ settings: KeyValuePairs<UInt16, UInt32>, _ prepare: @escaping @LoopActor (Http2Server, Int) -> Void) {
    self.settings = settings
    self.prepare = prepare
  }

  func start() throws {
    listener.onAccept = { [unowned self] connection in
      let index = servers.count
      let server = Http2Server(settings: settings)
      prepare(server, index)
      let answer = server.onRequest
      server.onRequest = { [unowned self] server, request in
        requests.add((index, request))
        answer?(server, request)
      }
      server.onOutput = { [unowned server] in
        let output = server.output
        server.output = []
        connection.write(output)
      }
      servers.append(server)
      raw.append(connection)
      openCount += 1
      connection.onBytes = { server.receive($0) }
      connection.onEnd = { connection.close() }
      // Told at the end of a turn, in which all may have ended.
      connection.onClose = { [weak self] in
        self?.openCount -= 1
        self?.closed.add(index)
      }
      if !server.isHeld { server.onOutput?() }
      accepted.add(index)
      return true
    }
    address = try listener.listen(on: address)
  }

  func stop() async {
    await listener.close(grace: .zero)
    listener.onAccept = nil
    for server in servers { (server.onRequest, server.onHead, server.onFrame, server.onOutput) = (nil, nil, nil, nil) }
    for connection in raw { (connection.onBytes, connection.onEnd, connection.onClose) = (nil, nil, nil) }
  }

  func reset(_ index: Int) { raw[index].reset() }
  func close(_ index: Int) { raw[index].close() }
  func stopReading(_ index: Int) { raw[index].onBytes = nil }
  func resumeReading(_ index: Int) { raw[index].onBytes = { [server = servers[index]] in server.receive($0) } }

  /// Runs `body` with a connection's server.
  func with<T: Sendable>(_ index: Int, _ body: @LoopActor (Http2Server) -> T) -> T { body(servers[index]) }

  func request(
    _ path: String = "/", method: HttpMethod? = nil, headers: HttpHeaders = [:], body: HttpBody? = nil
  ) -> HttpRequest {
    var request = HttpRequest("http://\(address)\(path)", method: method, headers: headers, body: body)
    request.httpVersion = .http2
    return request
  }
}

/// Runs a test with a client and scripted HTTP/2 servers, and looks afterwards at what must hold whatever happened.
func http2Scene(
  _ configuration: HttpClient.Configuration = .test(perHost: 1_000), settings: KeyValuePairs<UInt16, UInt32> = [:],
  _ prepare: @escaping @LoopActor (Http2Server, Int) -> Void, sourceLocation: SourceLocation = #_sourceLocation,
  test: (HttpClient, Http2Peer) async throws -> Void
) async throws {
  let sessions = await Http2SessionTable.count
  let peer = await Http2Peer(settings, prepare)
  try await peer.start()
  let client = HttpClient(configuration)
  do {
    try await test(client, peer)
  } catch {
    await peer.stop()
    await client.shutdown(grace: .zero)
    throw error
  }
  await expectNothingLeft(client, sourceLocation)
  #expect(await Http2SessionTable.count == sessions, "sessions left", sourceLocation: sourceLocation)
  await peer.stop()
}

/// Answers each request with its path as the body.
@LoopActor
func echoPath(_ server: Http2Server, _ index: Int) {
  server.onRequest = { server, request in server.answer(request.stream, body: Array(request.path.utf8)) }
}

extension HttpClient {
  /// `send` with an untyped throw, which `#expect` can take.
  func response(_ request: HttpRequest) async throws -> HttpResponse { try await send(request) }
}
