import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct TimeTests {
  @Test func aHeadThatDoesNotComeIs408AndSilenceIsClosed() async throws {
    try await serving(with(\.headerTimeout, .milliseconds(60))) { server, address in
      let silent = try TestSocket(address)
      let slow = try TestSocket(address)
      slow.send("GET / HT")
      #expect(try await slow.response().status == 408)
      #expect(try await slow.readToEnd() == .closed)
      #expect(try await silent.readToEnd() == .closed)
      #expect(silent.receivedCount == 0)
      slow.close()
      try await waitUntil { server.connectionCount == 0 }
    }
  }

  @Test func aHeadDrippedByteByByteDoesNotMoveItsTimeout() async throws {
    try await serving(with(\.headerTimeout, .milliseconds(100))) { _, address in
      let client = try TestSocket(address)
      let head = Array(get("/hello", String(repeating: "A: b\r\n", count: 100)).utf8)
      for byte in head where client.receivedCount == 0 {
        client.send([byte])
        await pause(.milliseconds(2))
      }
      #expect(try await client.response().status == 408)
    }
  }

  @Test func aBodyThatPausesTooLongIs408() async throws {
    try await serving(with(\.bodyTimeout, .milliseconds(60))) { _, address in
      let client = try TestSocket(address)
      let response = try await client.exchange("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nab")
      #expect(response.status == 408)
      #expect(try await client.readToEnd() == .closed)
    }
  }

  @Test func aBodyThatComesSlowlyButSteadilyIsTaken() async throws {
    try await serving(with(\.bodyTimeout, .milliseconds(200))) { _, address in
      let client = try TestSocket(address)
      client.send("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 20\r\n\r\n")
      for _ in 0..<20 {
        await pause(.milliseconds(25))
        client.send("x")
      }
      #expect(try await client.response().status == 200)
    }
  }

  @Test func anIdleConnectionIsClosedAndABusyOneIsNot() async throws {
    var pending: Responder?
    let slow = ClosureHandler(path: "/slow") { _, responder in pending = responder }
    try await serving(with(\.idleTimeout, .milliseconds(60)), handlers: [slow]) { server, address in
      let idle = try TestSocket(address)
      #expect(try await idle.exchange(get("/hello")).status == 200)
      let busy = try TestSocket(address)
      busy.send(get("/slow"))
      #expect(try await idle.readToEnd() == .closed)
      await pause(.milliseconds(120))
      #expect(server.connectionCount == 1)
      pending?.respond(text: "late")
      #expect(try await busy.response().text == "late")
      #expect(try await busy.readToEnd() == .closed)
    }
  }

  @Test func aPeerThatTakesNothingIsResetAfterTheWriteTimeout() async throws {
    var isClosed = false
    let big = ClosureHandler(path: "/big") { _, responder in
      responder.onClose = { isClosed = true }
      responder.respond(status: 200, body: [UInt8](repeating: 7, count: 20_000_000))
    }
    try await serving(with(\.writeTimeout, .milliseconds(100)), handlers: [big]) { server, address in
      let client = try TestSocket(address)
      client.isReading = false
      client.send(get("/big"))
      try await waitUntil { isClosed }
      #expect(server.connectionCount == 0)
    }
  }

  @Test func aPeerThatTakesSlowlyIsNotReset() async throws {
    let big = ClosureHandler(path: "/big") { _, responder in
      responder.respond(status: 200, body: [UInt8](repeating: 7, count: 12_000_000))
    }
    try await serving(with(\.writeTimeout, .milliseconds(150)), handlers: [big]) { _, address in
      let client = try TestSocket(address)
      client.isReading = false
      client.send(get("/big"))
      // Each pause is shorter than the timeout, all of them together are longer; between them a good part is taken.
      for round in 1...5 {
        await pause(.milliseconds(60))
        client.isReading = true
        try await client.wait { client.receivedCount > round * 2_000_000 }
        client.isReading = false
      }
      client.isReading = true
      #expect(try await client.response().body.count == 12_000_000)
    }
  }
}
