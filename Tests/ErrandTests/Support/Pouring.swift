import Errand
import EventLoop
import Testing

/// A client, and a peer that answers everything with `total` bytes, as fast as they are taken.
func pouring(
  _ total: Int, _ configuration: HttpClient.Configuration = .test, sourceLocation: SourceLocation = #_sourceLocation,
  test: (HttpClient, ScriptedPeer) async throws -> Void
) async throws {
  let body = [UInt8](repeating: 0x7a, count: total)
  try await scene(
    configuration,
    { connection, _ in
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      pour(body, into: connection)
    }, sourceLocation: sourceLocation, test: test)
}

/// Writes as fast as it is taken, a piece in each turn of the loop.
@LoopActor
func pour(_ bytes: [UInt8], from offset: Int = 0, into connection: PeerConnection) {
  guard offset < bytes.count, connection.isOpen else { return }
  let end = min(offset + 131_072, bytes.count)
  if connection.write(counted: Array(bytes[offset..<end])) {
    after(.zero) { pour(bytes, from: end, into: connection) }
  } else {
    connection.onDrain = { pour(bytes, from: end, into: connection) }
  }
}
