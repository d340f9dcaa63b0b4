internal import EventLoop

/// Requests whose bodies decode to more than a turn of the loop allows: they go on at the end of the turn, one after another.
@LoopActor
final class DecodingLine {
  /// What all requests together decode before the turn's end, and again at its end, in bytes.
  private static let bytesPerTurn = 1_048_576

  private var items: [RequestItem] = []
  private var turn: UInt32 = 0
  private var room = 0
  private var isScheduled = false

  nonisolated init() {}

  /// Of this turn's bytes.
  var left: Int {
    get {
      if turn != EventLoop.shared.turn { startTurn() }
      return room
    }
    set { room = newValue }
  }

  private func startTurn() {
    turn = EventLoop.shared.turn
    room = DecodingLine.bytesPerTurn
  }

  /// Has `item` go on at the end of the turn.
  func add(_ item: RequestItem, of engine: RequestEngine) {
    guard let decoding = item.decoding, !decoding.isInLine else { return }
    decoding.isInLine = true
    items.append(item)
    schedule(engine)
  }

  private func schedule(_ engine: RequestEngine) {
    guard !isScheduled else { return }
    isScheduled = true
    EventLoop.shared.atEndOfTurn { self.run(engine) }
  }

  private func run(_ engine: RequestEngine) {
    isScheduled = false
    startTurn()
    let waiting = items
    items = []
    for (index, item) in waiting.enumerated() {
      guard room > 0 else {
        // Those who have not had their turn are before those who have.
        items.insert(contentsOf: waiting[index...], at: 0)
        break
      }
      // It may have ended, or begun anew.
      guard let decoding = item.decoding, decoding.isInLine else { continue }
      decoding.isInLine = false
      decoding.startTurn()
      engine.decodeMore(item, decoding)
    }
    if !items.isEmpty { schedule(engine) }
  }
}
