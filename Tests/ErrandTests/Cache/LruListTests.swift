import TestSupport
import Testing

@testable import Errand

@Suite struct LruListTests {
  @Test(arguments: 0..<UInt64(20)) func `it does what an array in order would do`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = LruList()
    var model: [Int] = []  // newest first
    for _ in 0..<2_000 {
      let slot = Int.random(in: 0..<30, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        list.remove(slot)
        model.removeAll { $0 == slot }
      case 1:
        list.addLast(slot)
        model.removeAll { $0 == slot }
        model.append(slot)
      default:
        list.use(slot)
        model.removeAll { $0 == slot }
        model.insert(slot, at: 0)
      }
      #expect(list.last == model.last)
      #expect(list.count == model.count)
      #expect(list.contains(slot) == model.contains(slot))
    }
    while let last = model.popLast() {
      #expect(list.last == last)
      list.remove(last)
    }
    #expect(list.last == nil)
  }
}
