import ErrandDaemon
import EventLoop
import HttpWire
import TestSupport

/// Follows a delegate over a raw socket, and can hang or go away as a real follower does.
@LoopActor
final class StreamReader {
  let socket: TestSocket

  init(_ test: TestDaemon, _ delegate: String, lastEventID: String? = nil, query: String = "") throws {
    socket = try TestSocket(.unix(test.daemon.socketPath))
    let resume = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    socket.send(
      "GET /v1/delegates/\(delegate)/events\(query) HTTP/1.1\r\nHost: errand\r\nAccept: text/event-stream\r\n\(resume)\r\n")
  }

  /// Waits for the head and gives it.
  func head() async throws -> String { try await socket.read(through: "\r\n\r\n") }

  /// Waits for the next `count` events.
  func next(_ count: Int) async throws -> [JsonValue] {
    var found: [JsonValue] = []
    while found.count < count {
      let block = try await socket.read(through: "\n\n")
      guard let data = block.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix("data: ") }) else { continue }
      found.append(try JsonValue.parse(Array(data.dropFirst(6).utf8)))
    }
    return found
  }

  /// Waits for a block that is no event, such as a keep-alive, and gives it.
  func comment() async throws -> String {
    while true {
      let block = try await socket.read(through: "\n\n")
      if let line = block.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(":") }) { return String(line) }
    }
  }

  func close() { socket.close() }
}

extension JsonValue {
  var seq: Int64 { self["seq"]?.int ?? -1 }
  var type: String { self["type"]?.string ?? "none" }
}
