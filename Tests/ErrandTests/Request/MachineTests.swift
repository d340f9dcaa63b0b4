import Testing

@testable import Errand

/// Each transition that matters, one by one.
@Suite struct MachineTests {
  private typealias Machine = RequestStateMachine
  private typealias Actions = RequestStateMachine.Actions

  private func queued(isRepeatable: Bool = true) -> Machine {
    var machine = Machine(isRepeatable: isRepeatable)
    _ = machine.submitted()
    return machine
  }

  private func exchanging(isReused: Bool, isRepeatable: Bool = true, written: Int64 = 0, isWhole: Bool = false) -> Machine {
    var machine = queued(isRepeatable: isRepeatable)
    _ = machine.slotGranted(isReused ? .ready(isShared: false) : .none)
    if !isReused { _ = machine.connected() }
    if written > 0 { _ = machine.wrote(written, isWhole: isWhole) }
    return machine
  }

  @Test func submittingLinesUpUnderTheQueueTimerAlone() {
    var machine = Machine(isRepeatable: true)
    #expect(machine.submitted() == Actions(transport: .enqueue, timer: .start(.queue)))
    #expect(machine.submitted() == .nothing)
  }

  @Test func theTotalTimerStartsWithTheFirstSlotAndNotAgain() {
    var machine = queued()
    #expect(machine.slotGranted(.none) == Actions(transport: .connect, timer: .start(.connect), startsTotal: true))
    #expect(machine.connected() == Actions(transport: .send, timer: .clear))
    _ = machine.wrote(10, isWhole: true)
    #expect(machine.retryLater(isReusable: true) == Actions(transport: .release, timer: .start(.backOff)))
    #expect(machine.timedOut(.backOff) == Actions(transport: .enqueue, timer: .start(.queue)))
    #expect(machine.slotGranted(.ready(isShared: false)) == Actions(transport: .send, timer: .clear))
    #expect(machine.attempts == 2)
  }

  @Test func anIdleConnectionIsUsedAtOnce() {
    var machine = queued()
    #expect(machine.slotGranted(.ready(isShared: false)) == Actions(transport: .send, timer: .clear, startsTotal: true))
  }

  @Test func writingIsTimedAsIdleUntilItIsWholeAndAsFirstByteThen() {
    var machine = exchanging(isReused: false)
    #expect(machine.wrote(5, isWhole: false) == Actions(timer: .start(.idle)))
    #expect(machine.wrote(9, isWhole: true) == Actions(timer: .start(.firstByte)))
    #expect(machine.headReceived() == Actions(timer: .start(.idle)))
    #expect(machine.headReceived() == .nothing)
  }

  @Test func theConnectionIsKeptOnlyIfItMayBeAndTheRequestWasWhole() {
    for (isReusable, isWhole, transport) in [
      (true, true, Machine.Transport.release), (true, false, .close), (false, true, .close), (false, false, .close),
    ] {
      var machine = exchanging(isReused: false, written: 5, isWhole: isWhole)
      let actions = machine.responseCompleted(isReusable: isReusable)
      #expect(actions == Actions(transport: transport, timer: .clear, finish: .response))
      #expect(machine.sent == (isWhole ? .sent : .maybeSent))
    }
  }

  @Test func aStaleConnectionIsTriedOnceMoreOnlyWhereThatIsSafe() {
    for (isRepeatable, written, retries) in [(true, Int64(0), true), (true, 10, true), (false, 0, true), (false, 10, false)] {
      var machine = exchanging(isReused: true, isRepeatable: isRepeatable, written: written, isWhole: written > 0)
      let actions = machine.connectionLost("closed")
      if retries {
        #expect(actions == Actions(transport: .connect, timer: .start(.connect)))
        #expect(machine.sent == (written > 0 ? .maybeSent : .notSent))
      } else {
        #expect(actions == Actions(transport: .close, timer: .clear, finish: .failure(.connectionLost, .request, "closed")))
        #expect(machine.sent == .maybeSent)
      }
    }
  }

  @Test func theSecondLossIsFinalSoIsTheLossOfANewConnection() {
    var machine = exchanging(isReused: true, written: 10, isWhole: true)
    _ = machine.connectionLost("closed")
    _ = machine.connected()
    _ = machine.wrote(10, isWhole: true)
    #expect(machine.connectionLost("again").finish == .failure(.connectionLost, .request, "again"))
    #expect(machine.attempts == 2)
    machine = exchanging(isReused: false)
    #expect(machine.connectionLost("at once").finish == .failure(.connectionLost, .request, "at once"))
    #expect(machine.sent == .notSent)
  }

  @Test func aLossInsideTheResponseIsTruncatedAndNeverTriedAgain() {
    var machine = exchanging(isReused: true, written: 10, isWhole: true)
    machine.responseStarted()
    #expect(machine.connectionLost("cut").finish == .failure(.truncated, .response, "cut"))
    machine = exchanging(isReused: true, written: 10, isWhole: true)
    _ = machine.headReceived()
    #expect(machine.connectionLost("cut").finish == .failure(.truncated, .response, "cut"))
  }

  @Test func cancellingGivesBackWhatTheStateHolds() {
    var machine = Machine(isRepeatable: true)
    #expect(machine.cancelled().transport == .keep)
    machine = queued()
    #expect(machine.cancelled() == Actions(transport: .leaveQueue, timer: .clear, finish: .cancelled(.notSent, written: 0, .none)))
    #expect(machine.cancelled() == .nothing)
    machine = queued()
    _ = machine.slotGranted(.none)
    #expect(machine.cancelled() == Actions(transport: .abandonConnect, timer: .clear, finish: .cancelled(.notSent, written: 0, .closed)))
    machine = exchanging(isReused: false)
    #expect(machine.cancelled().finish == .cancelled(.notSent, written: 0, .closed))
    machine = exchanging(isReused: false, written: 7)
    #expect(machine.cancelled() == Actions(transport: .close, timer: .clear, finish: .cancelled(.maybeSent, written: 7, .closed)))
    machine = exchanging(isReused: false, written: 9, isWhole: true)
    #expect(machine.cancelled().finish == .cancelled(.sent, written: 9, .closed))
    machine = exchanging(isReused: false, written: 9, isWhole: true)
    _ = machine.retryLater(isReusable: true)
    #expect(machine.cancelled() == Actions(transport: .keep, timer: .clear, finish: .cancelled(.sent, written: 0, .none)))
  }

  @Test func whatThePeerDidNotTakeUpGoesOutAgainWhateverItsMethodButNotWithoutEnd() {
    var machine = Machine(isRepeatable: false)
    _ = machine.submitted()
    _ = machine.slotGranted(.ready(isShared: true))
    for _ in 0..<3 {
      _ = machine.wrote(9, isWhole: true)
      #expect(machine.notProcessed("refused") == Actions(transport: .connect, timer: .start(.connect)))
      #expect(machine.sent == .notSent)
      _ = machine.connected(isShared: true)
    }
    #expect(machine.notProcessed("refused").finish == .failure(.connectionLost, .request, "refused"))
    #expect(machine.attempts == 4)
  }

  @Test func cancellingOnASharedConnectionKeepsIt() {
    var machine = Machine(isRepeatable: true)
    _ = machine.submitted()
    _ = machine.slotGranted(.none)
    _ = machine.connected(isShared: true)
    _ = machine.wrote(7, isWhole: true)
    #expect(machine.cancelled().finish == .cancelled(.sent, written: 7, .kept))
  }

  @Test func aTimerOfAnotherPhaseDoesNothing() {
    for (timer, live) in [
      (Machine.Timer.queue, "queued"), (.connect, "connecting"), (.firstByte, "exchanging"), (.idle, "exchanging"), (.backOff, "none"),
    ] {
      var machine = queued()
      #expect((machine.timedOut(timer).finish != nil) == (live == "queued"), "\(timer) while queued")
      machine = queued()
      _ = machine.slotGranted(.none)
      #expect((machine.timedOut(timer).finish != nil) == (live == "connecting"), "\(timer) while connecting")
      machine = exchanging(isReused: false, written: 1, isWhole: true)
      #expect((machine.timedOut(timer).finish != nil) == (live == "exchanging"), "\(timer) in an exchange")
    }
  }

  @Test func theTotalTimerEndsItInEveryState() {
    var machine = queued()
    #expect(machine.timedOut(.total).transport == .leaveQueue)
    machine = queued()
    _ = machine.slotGranted(.none)
    #expect(machine.timedOut(.total).transport == .abandonConnect)
    machine = exchanging(isReused: true, written: 3)
    #expect(machine.timedOut(.total).transport == .close)
    machine = exchanging(isReused: true, written: 3, isWhole: true)
    _ = machine.retryLater(isReusable: false)
    #expect(machine.timedOut(.total) == Actions(timer: .clear, finish: .failure(.timeout, .total, "not done in time")))
    #expect(machine.timedOut(.total) == .nothing)
  }

  @Test func aFailureThatIsTriedAgainGivesUpItsSlotAndSaysWhatWasSent() {
    for (cause, written, isWhole, isProcessed, sent) in [
      (RetryCause.connectionLost, Int64(0), false, true, SentState.notSent), (.connectionLost, 10, true, true, .maybeSent),
      (.truncated, 10, true, true, .maybeSent), (.firstByteTimeout, 10, true, true, .sent), (.idleTimeout, 5, false, true, .maybeSent),
      (.connectionLost, 10, true, false, .notSent),
    ] {
      var machine = exchanging(isReused: false, written: written, isWhole: isWhole)
      #expect(machine.failedForNow(cause, isProcessed: isProcessed) == Actions(transport: .close, timer: .start(.backOff)))
      #expect(machine.sent == sent && machine.retries == 1)
    }
    var machine = queued()
    #expect(machine.failedForNow(.connect) == .nothing)
    _ = machine.slotGranted(.none)
    #expect(machine.failedForNow(.connect) == Actions(transport: .abandonConnect, timer: .start(.backOff)))
    #expect(machine.timedOut(.backOff) == Actions(transport: .enqueue, timer: .start(.queue)))
  }

  @Test func replacingAStaleConnectionIsNoRetryOfThePolicys() {
    var machine = exchanging(isReused: true, written: 10, isWhole: true)
    #expect(machine.causeIfLost == nil)
    _ = machine.connectionLost("closed")
    #expect(machine.attempts == 2 && machine.retries == 0)
    _ = machine.connected()
    _ = machine.wrote(10, isWhole: true)
    #expect(machine.causeIfLost == .connectionLost)
    machine.responseStarted()
    #expect(machine.causeIfLost == .truncated)
  }
}
