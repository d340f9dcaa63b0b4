import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct RawConnectionTests {
  @Test func aHandlerMayTakeTheConnectionOverAndSendAnyBytes() async throws {
    var raw: RawConnection?
    let handler = ClosureHandler(path: "/raw") { _, responder in raw = responder.takeOver() }
    try await serving(handlers: [handler]) { server, address in
      let client = try TestSocket(address)
      client.send(get("/raw") + "early")
      try await waitUntil { raw != nil }
      raw?.write("HTTP/1.1 2")
      #expect(try await client.read(10) == Array("HTTP/1.1 2".utf8))
      var got: [UInt8] = []
      raw?.onBytes = { got += $0 }
      client.send(" late")
      try await waitUntil { got == Array("early late".utf8) }
      raw?.write("00 OK\r\nContent-Length: 1\r\n\r\nabc")
      raw?.close()
      #expect(try await client.readToEnd() == .closed)
      #expect(client.receivedText.hasSuffix("\r\n\r\nabc"))
      #expect(raw?.isOpen == false)
      #expect(server.connectionCount == 0)
    }
  }

  @Test func resetIsSeenAsAReset() async throws {
    let handler = ClosureHandler(path: "/raw") { _, responder in
      let raw = responder.takeOver()
      raw?.write("HTTP/1.1 200 OK\r\n")
      raw?.reset()
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/raw"))
      #expect(try await client.readToEnd() == .reset)
    }
  }

  @Test func whatIsWrittenBeforeCloseArrivesWhole() async throws {
    let handler = ClosureHandler(path: "/raw") { _, responder in
      let raw = responder.takeOver()
      raw?.write([UInt8](repeating: 1, count: 10_000_000))
      raw?.close()
      #expect(raw?.write([2]) == false)
    }
    try await serving(handlers: [handler]) { server, address in
      let client = try TestSocket(address)
      client.send(get("/raw"))
      #expect(try await client.readToEnd() == .closed)
      #expect(client.receivedCount == 10_000_000)
      #expect(server.connectionCount == 0)
    }
  }

  @Test func withoutAReaderNothingIsRead() async throws {
    var raw: RawConnection?
    let handler = ClosureHandler(path: "/raw") { _, responder in raw = responder.takeOver() }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/raw"))
      try await waitUntil { raw != nil }
      client.send([UInt8](repeating: 1, count: 30_000_000))
      await pause(.milliseconds(20))
      #expect(client.unsentCount > 10_000_000)
      var got = 0
      var isEnded = false
      raw?.onEnd = { isEnded = true }
      raw?.onBytes = { got += $0.count }
      client.endWriting()
      try await waitUntil { isEnded }
      #expect(got == 30_000_000)
      // The other half still works.
      raw?.write("bye")
      raw?.endWriting()
      #expect(try await client.readToEnd() == .closed)
      #expect(client.receivedText == "bye")
    }
  }

  @Test func onCloseComesOnceHoweverItEnds() async throws {
    var raws: [RawConnection] = []
    var closes = 0
    let handler = ClosureHandler(path: "/raw") { _, responder in
      guard let raw = responder.takeOver() else { return }
      raws.append(raw)
      raw.onClose = { closes += 1 }
      raw.onBytes = { _ in }
    }
    try await serving(handlers: [handler]) { _, address in
      for number in 1...4 {
        let client = try TestSocket(address)
        client.send(get("/raw"))
        try await waitUntil { raws.count == number }
        switch number {
        case 1: client.reset()
        case 2: raws[1].reset()
        case 3: raws[2].close()
        default: break
        }
        if number < 4 { try await waitUntil { closes == number } } else { client.close() }
      }
      #expect(closes == 3)
    }
    try await waitUntil { closes == 4 }
  }

  @Test func aConnectionThatIsGoneIsLetGoThoughItsCallbacksHoldIt() async throws {
    weak var kept: RawConnection?
    var isTaken = false
    let handler = ClosureHandler(path: "/raw") { _, responder in
      let raw = responder.takeOver()
      raw?.onBytes = { bytes in raw?.write(bytes) }
      kept = raw
      isTaken = true
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send(get("/raw") + "x")
      #expect(try await client.read(1) == [UInt8(ascii: "x")])
      #expect(isTaken && kept != nil)
      client.reset()
      try await waitUntil { kept == nil }
    }
  }

  @Test func theHookSeesAcceptedConnectionsAndMayKeepThem() async throws {
    try await serving { server, address in
      var kept: [RawConnection] = []
      server.onAccept = { raw in
        guard kept.isEmpty else { return false }
        kept.append(raw)
        raw.write("220 not http\r\n")
        return true
      }
      let first = try TestSocket(address)
      #expect(try await first.read(through: "\r\n") == "220 not http\r\n")
      let second = try TestSocket(address)
      #expect(try await second.exchange(get("/hello")).text == "hello")
      server.onAccept = { raw in
        raw.reset()
        return true
      }
      let third = try TestSocket(address)
      #expect(try await third.readToEnd() == .reset)
    }
  }

  @Test func bytesAfterAStreamedHeadGoToWhoTakesItOver() async throws {
    var got: [UInt8] = []
    let handler = ClosureHandler(path: "/raw", wantsStreamedBody: true) { _, responder in
      let raw = responder.takeOver()
      raw?.onBytes = { bytes in
        got += bytes
        raw?.write("seen")
      }
    }
    try await serving(handlers: [handler]) { _, address in
      let client = try TestSocket(address)
      client.send("POST /raw HTTP/1.1\r\nHost: t\r\nContent-Length: 100\r\n\r\nbody")
      #expect(try await client.read(4) == Array("seen".utf8))
      #expect(got == Array("body".utf8))
    }
  }
}
