/// What does a step of a handshake when it may.
public protocol HandshakeTarget: AnyObject {
  /// Called once for each ``HandshakePacer/submit(_:)``. One that has ended meanwhile does nothing.
  @LoopActor func handshakeStep()
}

/// Keeps handshakes, which take a millisecond of computing and more, from holding up the loop: one turn spends at most ``budget`` in their
/// steps, and those left over wait for the next turn, first in, first out. Sockets and timers are served in between.
@LoopActor
public final class HandshakePacer {
  public static let shared = HandshakePacer()

  /// What one turn spends at most, and one step more.
  public static let budget = Duration.milliseconds(4)

  private static let budgetNanoseconds = budget.wholeNanoseconds
  private var turn: UInt32 = 0
  private var spent: Int64 = 0
  private var waiting: [any HandshakeTarget] = []
  private var first = 0
  private var waitingIDs: Set<ObjectIdentifier> = []
  private var runsLater = false

  /// Does a step of `target` now if this turn has time for it, and otherwise in a later turn. One that waits already goes on waiting.
  public func submit(_ target: any HandshakeTarget) {
    beginTurn()
    guard waitingCount > 0 || spent >= HandshakePacer.budgetNanoseconds else { return step(target) }
    guard waitingIDs.insert(ObjectIdentifier(target)).inserted else { return }
    waiting.append(target)
    runLater()
  }

  /// How many wait for a later turn.
  public var waitingCount: Int { waiting.count - first }

  private func beginTurn() {
    guard turn != EventLoop.shared.turn else { return }
    turn = EventLoop.shared.turn
    spent = 0
  }

  private func step(_ target: any HandshakeTarget) {
    let start = Instant.now().nanoseconds
    target.handshakeStep()
    spent += Instant.now().nanoseconds - start
  }

  private func runLater() {
    guard !runsLater else { return }
    runsLater = true
    EventLoop.shared.atEndOfTurn { self.runWaiting() }
  }

  private func runWaiting() {
    runsLater = false
    beginTurn()
    while waitingCount > 0, spent < HandshakePacer.budgetNanoseconds {
      let target = waiting[first]
      first += 1
      waitingIDs.remove(ObjectIdentifier(target))
      step(target)
    }
    guard waitingCount > 0 else {
      waiting.removeAll(keepingCapacity: waiting.count <= 1_024)
      first = 0
      return
    }
    if first > 1_024 {
      waiting.removeFirst(first)
      first = 0
    }
    runLater()
  }
}
