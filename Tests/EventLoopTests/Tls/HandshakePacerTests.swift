import EventLoop
import Glibc
import TestSupport
import Testing

@LoopActor
@Suite(.oneAtATime) struct HandshakePacerTests {
  /// Takes a millisecond of computing.
  private final class Busy: HandshakeTarget {
    @LoopActor static var log: [Int] = []
    @LoopActor static var turns: [UInt32: Int] = [:]
    let number: Int
    nonisolated init(_ number: Int) { self.number = number }

    @LoopActor func handshakeStep() {
      let start = Instant.now()
      while start.duration(to: .now()) < .milliseconds(1) {}
      Busy.log.append(number)
      Busy.turns[EventLoop.shared.turn, default: 0] += 1
    }
  }

  private final class Tick: TimerTarget {
    @LoopActor var seen: [Int] = []
    nonisolated init() {}
    @LoopActor func timerFired(_ kind: UInt8) {
      seen.append(Busy.log.count)
      if Busy.log.count < 300 { _ = EventLoop.shared.schedule(after: .milliseconds(1), self, kind: 0) }
    }
  }

  @Test func aTurnSpendsFewMillisecondsInHandshakesAndTimersFireInBetween() async throws {
    Busy.log = []
    Busy.turns = [:]
    let tick = Tick()
    _ = EventLoop.shared.schedule(after: .milliseconds(1), tick, kind: 0)
    let targets = (0..<300).map { Busy($0) }
    for target in targets { HandshakePacer.shared.submit(target) }
    // Those that wait already are not queued twice.
    HandshakePacer.shared.submit(targets[299])
    #expect(HandshakePacer.shared.waitingCount >= 290)
    try await waitUntil("all steps") { Busy.log.count >= 300 }
    #expect(Busy.log == Array(0..<300))
    #expect(Busy.turns.values.allSatisfy { $0 <= 5 }, "\(Busy.turns.values)")
    #expect(tick.seen.count > 40, "\(tick.seen.count)")
    #expect(HandshakePacer.shared.waitingCount == 0)
  }

  @Test func hundredsOfRealHandshakesAtOnceLeaveRoomForATimer() async throws {
    let identity = try await TestCertificates.shared.identity(.localhost)
    let server = try await NginxServer { ports in
      """
      server { listen 127.0.0.1:\(ports[0]) ssl backlog=1024; location / { return 200 "ok"; }
        ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile); }
      """
    }
    var settings = TlsSettings()
    settings.caFile = try await TestCertificates.shared.rootFile
    let context = try TlsContext(settings)
    let watcher = Ticks()
    watcher.go()
    var clients: [TlsClient] = []
    defer { for client in clients { client.close() } }
    for _ in 0..<300 { clients.append(try await TlsClient(server.port, context, isPaced: true)) }
    for client in clients { #expect(try await client.failure() == nil) }
    watcher.isOver = true
    // How long a gap takes is the machine's business.
    #expect(watcher.count > 20, "\(watcher.count)")
  }

  private final class Ticks: TimerTarget {
    @LoopActor var count = 0
    @LoopActor var isOver = false
    nonisolated init() {}

    @LoopActor func go() {
      _ = EventLoop.shared.schedule(after: .milliseconds(1), self, kind: 0)
    }

    @LoopActor func timerFired(_ kind: UInt8) {
      count += 1
      if !isOver { go() }
    }
  }
}
