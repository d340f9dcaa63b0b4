import EventLoop
import Testing

@testable import ErrandDaemon

/// What is told of requests under way leaves half of a mailbox to outcomes.
@LoopActor struct HalfFullTests {
  @Test(arguments: [(4, 1 << 20, 2), (1_000, 300, 1), (2, 1 << 20, 1), (1, 1 << 20, 0)])
  func aMailboxIsHalfFullByEventsOrByBytes(events: Int, bytes: Int, room: Int) {
    let mailbox = Mailbox(DelegateID(owner: Owner(uid: 1), name: "a"), seqFloor: 0)
    var limits = StoreLimits()
    (limits.events, limits.eventBytes) = (events, bytes)
    let event = StoredEvent(frame: Array(repeating: 0x20, count: 200), json: 0..<200)
    var appended = 0
    while !mailbox.isHalfFull(limits), appended < 10 {
      mailbox.append(event, handle: nil, at: .now(), limits: limits)
      appended += 1
    }
    #expect(appended == room)
  }
}
