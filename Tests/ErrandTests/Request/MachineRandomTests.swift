import TestSupport
import Testing

@testable import Errand

/// Any order of events, seeded: what the machine promises holds in each.
@Suite struct MachineRandomTests {
  @Test func anyOrderOfEventsEndsAtMostOnceAndGivesBackEachSlotOnce() {
    for seed in 0..<UInt64(30_000) {
      var generator = SeededGenerator(seed: seed)
      var ledger = Ledger(isRepeatable: generator.next() % 2 == 0)
      var trace: [String] = []
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let event = MachineEvent.random(using: &generator)
        trace.append("\(event)")
        if let complaint = ledger.take(event) {
          Issue.record("seed \(seed): \(complaint), after \(trace.joined(separator: ", "))")
          return
        }
      }
      trace.append("cancelled")
      if let complaint = ledger.take(.cancelled) ?? ledger.complaintAtEnd {
        Issue.record("seed \(seed): \(complaint), after \(trace.joined(separator: ", "))")
        return
      }
    }
  }

  /// The order that events have in life, so that the deep states are visited often.
  @Test func eventsInTheirUsualOrderWithSurprisesBetweenKeepTheSamePromises() {
    for seed in 100_000..<UInt64(110_000) {
      var generator = SeededGenerator(seed: seed)
      var ledger = Ledger(isRepeatable: generator.next() % 2 == 0)
      var trace: [String] = []
      for _ in 0..<40 {
        let isSurprise = generator.next() % 8 == 0
        let event = isSurprise ? MachineEvent.random(using: &generator) : ledger.usual(&generator)
        trace.append("\(event)")
        if let complaint = ledger.take(event) {
          Issue.record("seed \(seed): \(complaint), after \(trace.joined(separator: ", "))")
          return
        }
      }
      if let complaint = ledger.take(.cancelled) ?? ledger.complaintAtEnd {
        Issue.record("seed \(seed): \(complaint), after \(trace.joined(separator: ", "))")
        return
      }
    }
  }
}

enum MachineEvent {
  case submitted
  case granted(hasConnection: Bool)
  case connected, connectFailed
  case wrote(Int64, isWhole: Bool)
  case responseStarted, headReceived
  case completed(isReusable: Bool)
  case retryLater(isReusable: Bool)
  case followed(isReusable: Bool)
  case setAside, answered, hold, letGo
  case prepared(isRepeatable: Bool)
  case failedForNow(RetryCause, isProcessed: Bool)
  case lost, reset, notProcessed, failed, refused, cancelled
  case timedOut(RequestStateMachine.Timer)

  static func random(using generator: inout SeededGenerator) -> MachineEvent {
    let flag = generator.next() % 2 == 0
    switch generator.next() % 23 {
    case 0: return .submitted
    case 1: return .granted(hasConnection: flag)
    case 2: return .connected
    case 3: return .connectFailed
    case 4: return .wrote(Int64(generator.next() % 3) * 50, isWhole: flag)
    case 5: return .responseStarted
    case 6: return .headReceived
    case 7: return .completed(isReusable: flag)
    case 8: return .retryLater(isReusable: flag)
    case 9: return .lost
    case 14: return .notProcessed
    case 15: return .failedForNow(RetryCause.allCases.randomElement(using: &generator) ?? .connect, isProcessed: flag)
    case 16: return .reset
    case 17: return .followed(isReusable: flag)
    case 18: return .prepared(isRepeatable: flag)
    case 19: return generator.next() % 4 == 0 ? .answered : .setAside
    case 20: return .hold
    case 21: return .letGo
    case 10: return .failed
    case 11: return .refused
    case 12: return generator.next() % 4 == 0 ? .cancelled : .connected
    default: return .timedOut(RequestStateMachine.Timer.allCases.randomElement(using: &generator) ?? .total)
    }
  }
}

/// A driver that only counts: who has what, and whether that can be.
private struct Ledger {
  private var machine: RequestStateMachine
  private var slots = 0
  private var waits = 0
  private var finishes = 0
  private var totals = 0
  private var timer: RequestStateMachine.Timer?
  private var written: Int64 = 0
  /// In attempts before the last.
  private var hasLeftBytes = false
  /// In the attempt under way: undone if the peer says that it took none of it up.
  private var leavesBytes = false

  init(isRepeatable: Bool) {
    machine = RequestStateMachine(isRepeatable: isRepeatable)
  }

  func usual(_ generator: inout SeededGenerator) -> MachineEvent {
    let flag = generator.next() % 2 == 0
    switch machine.state {
    case .new: return generator.next() % 4 == 0 ? .setAside : .submitted
    case .held: return .letGo
    case .preparing: return generator.next() % 4 == 0 ? .answered : .prepared(isRepeatable: flag)
    case .queued: return .granted(hasConnection: flag)
    case .connecting: return .connected
    case .backingOff: return .timedOut(.backOff)
    case .exchanging(let exchange):
      if !exchange.isWhole { return .wrote(10, isWhole: flag) }
      if !exchange.responseStarted { return flag ? .responseStarted : .lost }
      if !exchange.headReceived { return flag ? .headReceived : .retryLater(isReusable: flag) }
      switch generator.next() % 3 {
      case 0: return .completed(isReusable: flag)
      case 1: return .followed(isReusable: flag)
      default: return .retryLater(isReusable: flag)
      }
    case .ended: return .random(using: &generator)
    }
  }

  /// What is wrong with what the machine said; nil if nothing is.
  mutating func take(_ event: MachineEvent) -> String? {
    let wasEnded = machine.state == .ended
    let cause = cause(of: event)
    let actions = apply(event)
    if let cause, (cause != nil) != (actions.finish != nil) { return "\(event) was to be the end: \(cause != nil)" }
    if wasEnded, actions != .nothing { return "it acts after its end: \(actions)" }
    if case .granted = event, actions != .nothing {
      guard waits == 1 else { return "a slot was taken without waiting for it" }
      waits -= 1
      slots += 1
    }
    switch actions.transport {
    case .keep: break
    case .enqueue: waits += 1
    case .leaveQueue: waits -= 1
    case .connect, .send: if slots != 1 { return "\(actions.transport) without a slot" }
    case .abandonConnect, .release, .close: slots -= 1
    }
    guard (0...1).contains(slots), (0...1).contains(waits), slots + waits <= 1 else { return "\(slots) slots, \(waits) waits" }
    if actions.startsTotal { totals += 1 }
    guard totals <= 1 else { return "the total timer started twice" }
    switch actions.timer {
    case .keep: break
    case .clear: timer = nil
    case .start(let started): timer = started
    }
    if actions.finish != nil {
      finishes += 1
      guard machine.state == .ended, actions.timer == .clear else { return "an end that leaves the state or a timer: \(actions)" }
    }
    guard finishes == (machine.state == .ended ? 1 : 0) else { return "\(finishes) ends in state \(machine.state)" }
    if case .wrote = event, written > 0, case .exchanging = machine.state { leavesBytes = true }
    switch event {
    case .notProcessed, .failedForNow(_, isProcessed: false): leavesBytes = leavesBytes && wasEnded
    default: break
    }
    if actions.transport != .keep {
      hasLeftBytes = hasLeftBytes || leavesBytes
      leavesBytes = false
    }
    if hasLeftBytes || leavesBytes, machine.sent == .notSent { return "bytes were sent, and it says \(machine.sent)" }
    return timerComplaint
  }

  private var timerComplaint: String? {
    switch machine.state {
    case .new, .held, .preparing, .ended: timer == nil ? nil : "the timer \(timer!) runs in \(machine.state)"
    case .queued: timer == .queue ? nil : "queued with timer \(String(describing: timer))"
    case .connecting: timer == .connect ? nil : "connecting with timer \(String(describing: timer))"
    case .backingOff: timer == .backOff ? nil : "backing off with timer \(String(describing: timer))"
    case .exchanging: [.firstByte, .idle, nil].contains(timer) ? nil : "exchanging with timer \(String(describing: timer))"
    }
  }

  var complaintAtEnd: String? {
    slots == 0 && waits == 0 && finishes == 1 && timer == nil ? nil : "\(slots) slots, \(waits) waits, \(finishes) ends are left"
  }

  private mutating func letGo() -> RequestStateMachine.Actions {
    machine.letGo()
    return .nothing
  }

  private mutating func apply(_ event: MachineEvent) -> RequestStateMachine.Actions {
    switch event {
    case .submitted: machine.submitted()
    case .hold: machine.hold()
    case .letGo: letGo()
    case .granted(let hasConnection): machine.slotGranted(hasConnection ? .ready(isShared: false) : .none)
    case .connected: machine.connected()
    case .connectFailed: machine.connectFailed(.connect, .connect, "refused")
    case .wrote(let count, let isWhole): wrote(count, isWhole)
    case .responseStarted: started()
    case .headReceived: machine.headReceived()
    case .completed(let isReusable): machine.responseCompleted(isReusable: isReusable)
    case .retryLater(let isReusable): machine.retryLater(isReusable: isReusable)
    case .followed(let isReusable): followed(isReusable)
    case .setAside: machine.setAside()
    case .prepared(let isRepeatable): machine.prepared(isRepeatable: isRepeatable)
    case .answered: machine.answered()
    case .failedForNow(let cause, let isProcessed): machine.failedForNow(cause, isProcessed: isProcessed)
    case .lost: machine.connectionLost("reset")
    case .reset: machine.streamReset("reset")
    case .notProcessed: machine.notProcessed("refused")
    case .failed: machine.responseFailed(.malformedResponse, "not HTTP")
    case .refused: machine.refused(.queueFull, .queue, "full")
    case .cancelled: machine.cancelled()
    case .timedOut(let timer): machine.timedOut(timer)
    }
  }

  /// What the machine says beforehand of an event that may end the request: nil twice over where it says nothing of that event.
  private func cause(of event: MachineEvent) -> RetryCause?? {
    switch event {
    case .lost: machine.causeIfLost
    case .reset: machine.causeIfReset
    case .notProcessed: machine.causeIfNotProcessed
    case .timedOut(let timer) where ![.queue, .total, .start, .deadline].contains(timer): machine.cause(of: timer)
    default: .none
    }
  }

  private mutating func wrote(_ count: Int64, _ isWhole: Bool) -> RequestStateMachine.Actions {
    written += count
    return machine.wrote(written, isWhole: isWhole)
  }

  private mutating func followed(_ isReusable: Bool) -> RequestStateMachine.Actions {
    let actions = machine.followed(isReusable: isReusable)
    if actions != .nothing { written = 0 }
    return actions
  }

  private mutating func started() -> RequestStateMachine.Actions {
    machine.responseStarted()
    return .nothing
  }
}
