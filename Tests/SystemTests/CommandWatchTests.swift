import EventLoop
import Glibc
import HttpServer
import HttpWire
import TestSupport
import Testing

/// `errand watch` and others against a scripted daemon, which fails where the real one would not.
@LoopActor
@Suite(.timeLimit(.minutes(2))) struct CommandWatchTests {
  @Test func afterALossItGoesOnAfterTheLastEvent() async throws {
    var connections: [(lastID: String?, accept: String?)] = []
    try await withControlSocket([
      "/v1/delegates/a/events": { request, responder in
        connections.append((request.head.headers["Last-Event-ID"], request.head.headers["Accept"]))
        responder.startStream(status: 200, headers: ["Content-Type": "text/event-stream"])
        if connections.count == 1 {
          responder.write(Array(": hello\n\nid: 1\ndata: {\"seq\":1}\n\nid: 2\ndata: {\"seq\":2}\n\nid: 3\nda".utf8))
          responder.finish()
        } else {
          responder.write(Array("id: 3\r\ndata: {\"seq\":3}\r\n\r\nid: 4\r\ndata: {\"seq\":4}\r\n\r\n".utf8))
        }
      }
    ]) { socket in
      let ended = try await errand("watch", "a", "--json", "--count", "3", "--socket", socket)
      #expect(ended.status == 0)
      #expect(ended.lines == ["{\"seq\":1}", "{\"seq\":2}", "{\"seq\":3}"])
      #expect(ended.errors.contains("connecting again, after event 2"))
      #expect(ended.errors.contains("errand: connected again"))
      #expect(!ended.errors.contains("started anew"))
      #expect(connections.map(\.lastID) == [nil, "2"])
      #expect(connections.allSatisfy { $0.accept == "text/event-stream" })
    }
  }

  @Test func eventsAreAcknowledgedWhenTheyArePrinted() async throws {
    var acknowledged: [String] = []
    try await withControlSocket([
      "/v1/delegates/a/events": { request, responder in
        responder.startStream(status: 200)
        responder.write(
          Array("id: 7\ndata: {\"seq\":7,\"type\":\"finished\",\"handle\":\"12\",\"status\":200,\"tag\":4,\"key\":\"k\"}\n\n".utf8))
      },
      "/v1/delegates/a/ack": { request, responder in
        acknowledged.append(request.text)
        responder.respond(status: 200, body: Array("{}".utf8))
      },
    ]) { socket in
      let ended = try await errand("watch", "a", "--ack", "--count=1", "--after", "6", environment: ["ERRAND_SOCKET": socket])
      #expect(ended.text.contains("finished"))
      for word in ["7", "12", "200", "tag=4", "key=k"] { #expect(ended.text.contains(word), "\(word)") }
      #expect(acknowledged == ["{\"through\":7}"])
    }
  }

  @Test func eventsThatAreNoOutcomesAreLinesToo() async throws {
    let events = [
      "{\"seq\":1,\"type\":\"progress\",\"handle\":\"12\",\"url\":\"http://h/\",\"uploaded\":2048,\"upload_total\":4096,\"downloaded\":0,\"rate\":9}",
      "{\"seq\":2,\"type\":\"progress\",\"handle\":\"12\",\"url\":\"http://h/\",\"uploaded\":9,\"upload_total\":9,\"downloaded\":1024,\"download_total\":null}",
      "{\"seq\":3,\"type\":\"session_invalid\",\"handle\":\"12\",\"service\":\"shop\",\"code\":\"E7\",\"message\":\"log in\"}",
    ]
    try await withControlSocket([
      "/v1/delegates/a/events": { _, responder in
        responder.startStream(status: 200)
        responder.write(Array(events.enumerated().map { "id: \($0.offset + 1)\ndata: \($0.element)\n\n" }.joined().utf8))
      }
    ]) { socket in
      let ended = try await errand("watch", "a", "--count", "3", "--socket", socket)
      #expect(ended.lines.count == 3)
      #expect(ended.lines[0].contains("up 2 KiB of 4 KiB") && ended.lines[1].contains("down 1 KiB "))
      for word in ["session_invalid", "E7", "shop", "(log in)"] { #expect(ended.lines[2].contains(word)) }
    }
  }

  @Test func aRefusalEndsItWith4AndNamesTheField() async throws {
    try await withControlSocket([
      "/v1/delegates/a/events": { _, responder in
        responder.respond(
          status: 400, headers: ["Content-Type": "application/problem+json"],
          body: Array("{\"type\":\"urn:errand:problem:invalid_value\",\"detail\":\"must be short\",\"field\":\"/name\"}".utf8))
      }
    ]) { socket in
      let ended = try await errand("watch", "a", "--socket", socket)
      #expect(ended.status == 4)
      #expect(ended.errors.contains("/name: must be short"))
    }
  }

  @Test func controlCEndsItWith130() async throws {
    try await withControlSocket([
      "/v1/delegates/a/events": { _, responder in
        responder.startStream(status: 200)
        responder.write(Array("id: 1\ndata: {}\n\n".utf8))
      }
    ]) { socket in
      let program = try RunningProgram([Programs.path("errand"), "watch", "a", "--json", "--socket", socket])
      var lines = program.lines.makeAsyncIterator()
      #expect(await lines.next() == "{}")
      program.send(SIGINT)
      let ended = await program.wait()
      #expect(ended.status == 130)
    }
  }

  @Test func manyLinesAreSentInTheirOrderAndOneRefusedIs4() async throws {
    var received: [UInt8] = []
    var calls = 0
    try await withControlSocket([
      "/v1/requests": { request, responder in
        calls += 1
        received += request.body
        let lines = request.body.split(separator: 0x0a)
        let answers = lines.map { $0.count > 10 ? "{\"handle\":\"\($0.count)\"}" : "{\"type\":\"urn:errand:problem:missing_field\"}" }
        responder.respond(status: 200, body: Array((answers.joined(separator: "\n") + "\n").utf8))
      }
    ]) { socket in
      let line = "{\"url\":\"http://127.0.0.1/\(String(repeating: "x", count: 100))\"}\n"
      let many = String(repeating: line, count: 10_000)
      let all = try await errand("submit", "--ndjson", "-", "--socket", socket, input: many)
      #expect(all.status == 0)
      #expect(all.lines.count == 10_000)
      #expect(received == Array(many.utf8))
      #expect(calls > 1)
      // The last line needs no end.
      let one = try await errand("submit", "--ndjson", "-", "--socket", socket, input: line + "{}")
      #expect(one.status == 4)
      #expect(one.lines.count == 2)
    }
  }

  /// A scripted daemon.
  private func withControlSocket(
    _ routes: [String: @LoopActor (ServerRequest, Responder) -> Void], _ body: @LoopActor (String) async throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let server = HttpServer()
    for (path, route) in routes { server.register(ClosureHandler(path: path, route)) }
    try server.listen(on: .unix(directory.file("s")))
    do {
      try await body(directory.file("s"))
    } catch {
      await server.close(grace: .zero)
      throw error
    }
    await server.close(grace: .zero)
  }
}
