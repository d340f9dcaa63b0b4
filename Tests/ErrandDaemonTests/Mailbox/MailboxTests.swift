import Errand
import EventLoop
import TestSupport
import Testing

@testable import ErrandDaemon

/// What readers see of a mailbox, and when.
@LoopActor struct MailboxTests {
  private let limits = StoreLimits()

  private func mailbox(floor: UInt64 = 0) -> Mailbox { Mailbox(DelegateID(owner: Owner(uid: 1), name: "a"), seqFloor: floor) }

  private func event(_ bytes: Int = 10) -> StoredEvent { StoredEvent(frame: [UInt8](repeating: 0x20, count: bytes), json: 0..<bytes) }

  private func seen(_ mailbox: Mailbox, after cursor: UInt64 = 0) -> [UInt64] {
    var (seqs, cursor): ([UInt64], UInt64) = ([], cursor)
    while let next = mailbox.next(after: cursor) {
      seqs.append(next.seq)
      cursor = next.seq
    }
    #expect(mailbox.pendingCount(after: seqs.first.map { $0 - 1 } ?? cursor) == seqs.count)
    return seqs
  }

  @Test func `an event that has to be on disk holds back those after it, until it is`() {
    let mailbox = mailbox()
    mailbox.append(event(), handle: nil, at: .now(), limits: limits)
    for isHeld in [true, false, true, false] { mailbox.append(event(), handle: nil, at: .now(), isHeld: isHeld, limits: limits) }
    #expect(seen(mailbox) == [1])
    #expect(mailbox.lastSeq == 1 && mailbox.nextSeq == 6)
    mailbox.written(2)
    #expect(seen(mailbox) == [1, 2, 3])
    mailbox.written(4)
    #expect(seen(mailbox) == [1, 2, 3, 4, 5])
    #expect(mailbox.acknowledge(through: 99).isEmpty)
    #expect(mailbox.acknowledged == 5)
  }

  @Test func `what readers do not see is neither acknowledged nor dropped`() {
    let mailbox = mailbox()
    var few = limits
    few.events = 2
    for number in 0..<5 { mailbox.append(event(), handle: RequestHandle(id: UInt64(number)), at: .now(), isHeld: true, limits: few) }
    #expect(mailbox.acknowledge(through: 5).isEmpty)
    #expect(mailbox.count == 5 && mailbox.droppedCount == 0)
    mailbox.written(5)
    mailbox.trim(.now(), few)
    #expect(seen(mailbox) == [4, 5])
    #expect(mailbox.droppedCount == 3)
  }

  @Test func `it goes on after the events of an earlier process, with a gap in the numbers that is none in the events`() {
    var stored = JournaledMailbox(id: 9, owner: 1, name: "a")
    (stored.acknowledged, stored.droppedThrough, stored.droppedCount) = (3, 5, 2)
    let mailbox = Mailbox(DelegateID(owner: Owner(uid: 1), name: "a"), stored, seqFloor: 1_000)
    for seq: UInt64 in [6, 7, 12] { mailbox.restore(event(), seq: seq, handle: nil, at: .now()) }
    mailbox.append(event(), handle: nil, at: .now(), limits: limits)
    #expect(seen(mailbox) == [6, 7, 12, 1_001])
    for (cursor, count) in [(0, 4), (6, 3), (7, 2), (8, 2), (11, 2), (12, 1), (13, 1), (1_000, 1), (1_001, 0), (5_000, 0)] {
      #expect(mailbox.pendingCount(after: UInt64(cursor)) == count, "after \(cursor)")
    }
    #expect(mailbox.start(after: nil) == 3)
    #expect(mailbox.start(after: 7) == 7)
    let gap = mailbox.gap(after: 3)
    #expect(gap?.through == 5)
    #expect(gap.map { String(decoding: $0.event.jsonBytes, as: UTF8.self) }?.contains("\"count\":2}") == true)
    #expect(mailbox.gap(after: 5) == nil && mailbox.gap(after: 12) == nil)
  }

  @Test func `the newest events that make up some bytes are counted across a gap`() {
    let mailbox = mailbox(floor: 100)
    for seq: UInt64 in [5, 6] { mailbox.restore(event(), seq: seq, handle: nil, at: .now()) }
    mailbox.append(event(), handle: nil, at: .now(), limits: limits)
    #expect([0, 1, 10, 11, 20, 21, 500].map { mailbox.eventCount(through: 101, in: $0) } == [0, 1, 1, 2, 2, 3, 3])
  }

  @Test func `whatever is held, written, acknowledged and dropped, readers see what a model sees`() {
    for seed: UInt64 in 1...50 {
      var generator = SeededGenerator(seed: seed)
      let mailbox = mailbox()
      var few = limits
      few.events = 40
      var model: [(seq: UInt64, isHeld: Bool)] = []
      for _ in 0..<400 {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5:
          let isHeld = Bool.random(using: &generator)
          model.append((mailbox.nextSeq, isHeld))
          let visible = model.prefix { !$0.isHeld }
          if model.count > few.events, !visible.isEmpty { model.removeFirst(min(visible.count, model.count - few.events)) }
          mailbox.append(event(), handle: nil, at: .now(), isHeld: isHeld, limits: few)
        case 5..<8:
          guard let first = model.firstIndex(where: \.isHeld) else { continue }
          mailbox.written(model[first].seq)
          model[first].isHeld = false
        default:
          let through = UInt64.random(in: 0...mailbox.nextSeq, using: &generator)
          let visible = model.prefix { !$0.isHeld }
          model.removeFirst(visible.count { $0.seq <= through })
          _ = mailbox.acknowledge(through: through)
        }
        #expect(seen(mailbox) == model.prefix { !$0.isHeld }.map(\.seq), "seed \(seed)")
      }
    }
  }
}
