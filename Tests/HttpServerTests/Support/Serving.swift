import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

/// Runs `body` with a server on a free port of loopback and a few handlers that many tests use, then closes it and checks that no connection is left.
@LoopActor
func serving(
  _ configuration: ServerConfiguration = ServerConfiguration(), on address: SocketAddress = .loopback(port: 0),
  handlers: [any ResponseHandler] = [], _ body: @LoopActor (HttpServer, SocketAddress) async throws -> Void
) async throws {
  let server = HttpServer(configuration: configuration)
  for handler in handlers { server.register(handler) }
  server.register(ClosureHandler(path: "/hello", methods: [.get, .head]) { _, responder in responder.respond(text: "hello") })
  server.register(
    ClosureHandler(path: "/echo", methods: [.post, .put]) { request, responder in responder.respond(status: 200, body: request.body) })
  let real = try server.listen(on: address)
  do {
    try await body(server, real)
  } catch {
    await server.close(grace: .zero)
    throw error
  }
  await server.close(grace: .zero)
  #expect(server.connectionCount == 0)
}

extension Responder {
  func respond(text: String) {
    respond(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
  }
}

/// A request without a body.
func get(_ target: String, _ fields: String = "", version: String = "1.1", method: String = "GET") -> String {
  "\(method) \(target) HTTP/\(version)\r\nHost: test\r\n\(fields)\r\n"
}

/// What a test's handlers note, in order.
@LoopActor
final class Journal {
  private(set) var lines: [String] = []
  func note(_ line: String) { lines.append(line) }
}

/// The defaults with one setting changed.
func with<Value>(_ setting: WritableKeyPath<ServerConfiguration, Value>, _ value: Value) -> ServerConfiguration {
  var configuration = ServerConfiguration()
  configuration[keyPath: setting] = value
  return configuration
}
