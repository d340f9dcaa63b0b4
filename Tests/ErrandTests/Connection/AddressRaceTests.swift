import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Errand

/// Listeners that take connections, refuse them, or do neither, on loopback.
@LoopActor
@Suite(.timeLimit(.minutes(1))) final class AddressRaceTests {
  private var listeners: [Int32] = []
  private var silent: [FullListener] = []
  private var results: [Result<(descriptor: Int32, address: SocketAddress), AddressRace.Failure>] = []

  isolated deinit {
    for descriptor in listeners { Socket.close(descriptor) }
    for listener in silent { listener.close() }
    for result in results { if case .success(let won) = result { Socket.close(won.descriptor) } }
  }

  private func live(v6: Bool = false) throws -> SocketAddress {
    let descriptor = try Socket.listen(on: .loopback(port: 0, v6: v6))
    listeners.append(descriptor)
    return try #require(Socket.localAddress(descriptor))
  }

  private func refusing(v6: Bool = false) throws -> SocketAddress {
    let descriptor = try Socket.listen(on: .loopback(port: 0, v6: v6))
    defer { Socket.close(descriptor) }
    return try #require(Socket.localAddress(descriptor))
  }

  private func hanging(v6: Bool = false) throws -> SocketAddress {
    let listener = try FullListener(v6: v6)
    silent.append(listener)
    return listener.address
  }

  private func race(
    _ addresses: [SocketAddress], isLast: Bool = true, attemptDelay: Duration = .seconds(60), resolutionDelay: Duration = .seconds(60),
    tcp: TcpSettings = TcpSettings()
  ) -> AddressRace {
    let race = AddressRace(AddressRace.Settings(attemptDelay: attemptDelay, resolutionDelay: resolutionDelay, tcp: tcp))
    race.start(addresses, isLast: isLast) { self.results.append($0) }
    return race
  }

  private func winner() async throws -> SocketAddress? {
    try await waitUntil("the end of the race") { !self.results.isEmpty }
    #expect(results.count == 1)
    guard case .success(let won)? = results.first else { return nil }
    #expect(Socket.remoteAddress(won.descriptor) == won.address)
    return won.address
  }

  private func failure() async throws -> String? {
    try await waitUntil("the end of the race") { !self.results.isEmpty }
    guard case .failure(let error)? = results.first else { return nil }
    return error.description
  }

  @Test func ofTwoThatAnswerIPv6Wins() async throws {
    let (v4, v6) = (try live(), try live(v6: true))
    _ = race([v4, v6])
    #expect(try await winner() == v6)
  }

  @Test func whenOneRefusesTheNextBeginsAtOnce() async throws {
    let v4 = try live()
    _ = race([try refusing(v6: true), try refusing(), v4])
    #expect(try await winner() == v4)
  }

  @Test func oneThatIsSilentDelaysTheNextByTheAttemptDelay() async throws {
    let (v4, v6) = (try live(), try hanging(v6: true))
    let slow = race([v4, v6])
    #expect(slow.explanation == "connecting to \(v6), 1 of 2 addresses tried")
    await pause(.milliseconds(20))
    #expect(results.isEmpty && slow.explanation == "connecting to \(v6), 1 of 2 addresses tried")
    slow.cancel()
    _ = race([v4, v6], attemptDelay: .milliseconds(5))
    #expect(try await winner() == v4)
  }

  @Test func theLosersAreClosed() async throws {
    let before = EventLoop.shared.watchCount
    let (first, second, third) = (try hanging(v6: true), try hanging(), try live(v6: true))
    let run = race([first, third, second], attemptDelay: .milliseconds(3))
    #expect(EventLoop.shared.watchCount == before + 1)
    #expect(try await winner() == third)
    #expect(EventLoop.shared.watchCount == before)
    run.add([first], isLast: true)
    #expect(EventLoop.shared.watchCount == before && results.count == 1)
  }

  @Test func oneThatWasBegunEarlierStillWinsWhenItAnswersLate() async throws {
    let v6 = try hanging(v6: true)
    let run = race([v6, try hanging()], attemptDelay: .milliseconds(3))
    try await waitUntil { run.explanation.contains("2 of 2") }
    let descriptor = try #require(silent.first)
    descriptor.accept()
    #expect(try await winner() == v6)
  }

  @Test func everyAddressThatFailedIsNamedWithItsReason() async throws {
    let (v6, v4) = (try refusing(v6: true), try refusing())
    _ = race([v6, v4, try .unix("/nowhere/socket")])
    let words = try await failure()
    #expect(words == "\(v6): Connection refused; \(v4): Connection refused; unix:/nowhere/socket: No such file or directory")
  }

  @Test func withoutAnAddressItFails() async throws {
    _ = race([])
    #expect(try await failure() == "there is no address")
  }

  @Test func aUnixSocketIsConnectedTo() async throws {
    let directory = try TemporaryDirectory()
    let address = try SocketAddress.unix(directory.file("socket"))
    listeners.append(try Socket.listen(on: address))
    _ = race([address])
    try await waitUntil { !self.results.isEmpty }
    #expect(try results.first?.get().address == address)
  }

  @Test func theSocketHasTheTcpSettings() async throws {
    var settings = TcpSettings()
    settings.keepAliveIdle = .seconds(77)
    _ = race([try live()], tcp: settings)
    _ = try await winner()
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let descriptor = try #require(try results.first?.get().descriptor)
    #expect(getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &value, &length) == 0 && value == 77)
  }

  // MARK: Addresses that come one family after the other

  @Test func ipv4AddressesWaitForThoseOfIPv6() async throws {
    let (v4, v6) = (try live(), try live(v6: true))
    let run = race([v4], isLast: false)
    await pause(.milliseconds(10))
    #expect(results.isEmpty && run.explanation.hasPrefix("waiting"))
    run.add([v6], isLast: true)
    #expect(try await winner() == v6)
  }

  @Test func ipv4AddressesWaitOnlyForTheResolutionDelay() async throws {
    let v4 = try live()
    _ = race([v4], isLast: false, resolutionDelay: .milliseconds(5))
    #expect(try await winner() == v4)
  }

  @Test func ipv4AddressesWaitNoLongerWhenThereIsNoIPv6() async throws {
    let v4 = try live()
    let run = race([v4], isLast: false)
    run.add([], isLast: true)
    #expect(try await winner() == v4)
  }

  @Test func ipv6AddressesDoNotWait() async throws {
    let v6 = try live(v6: true)
    _ = race([v6], isLast: false)
    #expect(try await winner() == v6)
  }

  @Test func lateAddressesAreTakenWhileOthersAreTried() async throws {
    let v6 = try live(v6: true)
    let run = race([try hanging()], isLast: false, attemptDelay: .milliseconds(3), resolutionDelay: .milliseconds(1))
    try await waitUntil { run.explanation.hasPrefix("connecting") }
    run.add([v6], isLast: true)
    #expect(try await winner() == v6)
  }

  @Test func whenAllThatAreKnownHaveFailedItWaitsForThoseToCome() async throws {
    let (v4, gone) = (try live(), try refusing(v6: true))
    let run = race([gone], isLast: false)
    try await waitUntil { run.explanation == "waiting for further addresses, 1 tried" }
    #expect(results.isEmpty)
    run.add([v4], isLast: true)
    #expect(try await winner() == v4)
  }

  @Test func itFailsWhenNoMoreComeAfterThoseThatFailed() async throws {
    let gone = try refusing(v6: true)
    let run = race([gone], isLast: false)
    try await waitUntil { run.explanation == "waiting for further addresses, 1 tried" }
    run.add([], isLast: true)
    #expect(try await failure() == "\(gone): Connection refused")
  }

  // MARK: Cancelling

  @Test func cancellingClosesEverythingAtAnyTime() async throws {
    let addresses = [try hanging(v6: true), try hanging(), try live()]
    // While nothing has begun, in the resolution delay, in the attempts, between them.
    for delay in [Duration.zero, .milliseconds(1), .milliseconds(3), .milliseconds(6)] {
      for isLast in [true, false] {
        let watches = EventLoop.shared.watchCount
        let run = race(
          isLast ? addresses : [addresses[1]], isLast: isLast, attemptDelay: .milliseconds(30), resolutionDelay: .milliseconds(2))
        if delay > .zero { await pause(delay) }
        let timers = EventLoop.shared.timerCount
        run.cancel()
        #expect(EventLoop.shared.watchCount == watches)
        #expect(EventLoop.shared.timerCount <= timers)
        run.add([addresses[2]], isLast: true)
        run.cancel()
        #expect(EventLoop.shared.watchCount == watches)
      }
    }
    await pause(.milliseconds(40))
    #expect(results.isEmpty)
  }

  @Test func cancellingInTheCallbackIsSafe() async throws {
    let v4 = try live()
    let run = AddressRace()
    run.start([v4], isLast: true) {
      self.results.append($0)
      run.cancel()
    }
    #expect(try await winner() == v4)
  }
}
