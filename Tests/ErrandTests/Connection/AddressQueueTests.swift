import EventLoop
import Testing

@testable import Errand

@Suite struct AddressQueueTests {
  private func v4(_ last: Int) -> SocketAddress { .ip("127.0.0.\(last)", port: 1) ?? .loopback(port: 1) }
  private func v6(_ last: Int) -> SocketAddress { .ip("fd00::\(last)", port: 1) ?? .loopback(port: 1) }

  private func drain(_ queue: inout AddressQueue) -> [SocketAddress] {
    var all: [SocketAddress] = []
    while let next = queue.next() { all.append(next) }
    return all
  }

  @Test func familiesTakeTurnsAndIPv6IsFirst() {
    var queue = AddressQueue()
    queue.add([v4(1), v4(2), v4(3), v6(1), v6(2)])
    #expect(drain(&queue) == [v6(1), v4(1), v6(2), v4(2), v4(3)])
    #expect(queue.triedCount == 5 && queue.count == 5)
  }

  @Test func theOrderWithinAFamilyIsKept() {
    var queue = AddressQueue()
    queue.add([v6(3), v6(1), v4(9), v6(2)])
    #expect(drain(&queue) == [v6(3), v4(9), v6(1), v6(2)])
  }

  @Test func lateAddressesOfTheOtherFamilyAreNext() {
    var queue = AddressQueue()
    queue.add([v4(1), v4(2), v4(3)])
    #expect(queue.next() == v4(1))
    #expect(queue.next() == v4(2))
    queue.add([v6(1), v6(2)])
    #expect(drain(&queue) == [v6(1), v4(3), v6(2)])
    queue.add([v4(4)])
    #expect(drain(&queue) == [v4(4)])
  }

  @Test func anAddressIsTriedOnce() {
    var queue = AddressQueue()
    queue.add([v4(1), v4(1), v6(1)])
    #expect(drain(&queue) == [v6(1), v4(1)])
    queue.add([v4(1), v6(1)])
    #expect(queue.next() == nil)
  }

  @Test func manyAddressesOfOneFamilyLeaveRoomForTheOther() {
    var queue = AddressQueue()
    queue.add((1...100).map(v6))
    queue.add((1...100).map(v4))
    #expect(queue.count == 2 * AddressQueue.limitPerFamily)
    #expect(drain(&queue).filter(\.isIPv6).count == AddressQueue.limitPerFamily)
  }

  @Test func anEmptyQueueHasNone() {
    var queue = AddressQueue()
    #expect(queue.next() == nil)
    queue.add([])
    #expect(queue.next() == nil && !queue.hasIPv6)
  }
}
