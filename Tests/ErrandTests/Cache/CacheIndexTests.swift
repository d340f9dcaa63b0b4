import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct CacheIndexTests {
  /// What must hold after every step.
  private func check(_ index: CacheIndex, _ files: Set<CacheFileName>) {
    let items = index.items.compactMap { $0 }
    let inMemory = items.filter { $0.held != nil && ($0.cost <= index.memoryBytes) }
    #expect(index.memoryUsed <= index.memoryBytes)
    #expect(index.diskUsed <= index.diskBytes)
    #expect(index.diskUsed == items.reduce(0) { $0 + $1.fileBytes })
    #expect(index.diskCount == items.filter { $0.fileBytes > 0 }.count)
    #expect(index.backlog == items.filter(\.isPending).reduce(0) { $0 + $1.cost })
    #expect(index.memoryCount <= inMemory.count)
    for item in items {
      #expect(item.held != nil || item.fileBytes > 0, "an item is somewhere")
      #expect(!item.isPending || item.held != nil && item.fileBytes > 0)
      #expect(item.isPending || item.fileBytes == 0 || files.contains(item.name), "what counts as written has a file")
    }
    let names = Set(items.filter { $0.fileBytes > 0 }.map(\.name))
    #expect(names.count == index.diskCount, "no two items share a file")
  }

  @Test(arguments: 0..<UInt64(12)) func `bounds and sums hold through any sequence of events`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var index = CacheIndex(memoryBytes: 20_000, diskBytes: 60_000)
    var files: Set<CacheFileName> = []
    var queue: [CacheIndex.Order] = []
    for step in 0..<1_000 {
      let number = Int.random(in: 0..<25, using: &generator)
      let key = CacheContent.key(number / 3)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0: index.remove(key.resource)
      case 1:
        if let slot = index.find(key, CacheContent.request(number)).slot, let item = index.items[slot], item.held == nil {
          let entry = CacheContent.entry(number, version: step, count: 1_000)
          #expect(index.loaded(slot, stamp: item.stamp, entry)?.stamp == item.stamp)
        }
      case 2:
        if let slot = index.find(key, CacheContent.request(number)).slot, let item = index.items[slot] {
          index.lost(slot, stamp: item.stamp)
        }
      case 3: if step % 40 == 0 { index.removeAll() }
      case 4, 5, 6:
        // The disk gets on with it.
        for order in queue.prefix(Int.random(in: 0...3, using: &generator)) {
          queue.removeFirst()
          switch order {
          case .remove(let name): files.remove(name)
          case .removeAll(let items): files.subtract(items.compactMap { $0?.name })
          case .write(let slot, let stamp):
            guard let item = index.item(slot, stamp: stamp), item.isPending else { continue }
            if Bool.random(using: &generator) {
              files.insert(item.name)
              index.written(slot, stamp: stamp)
            } else {
              index.lost(slot, stamp: stamp)
            }
          }
        }
      default:
        let entry = CacheContent.entry(number, version: step, count: Int.random(in: 0..<30_000, using: &generator) / (step % 2 * 9 + 1))
        index.put(entry, for: key, toDisk: Int.random(in: 0..<5, using: &generator) > 0)
      }
      queue += index.takeOrders()
      check(index, files)
    }
    index.removeAll()
    queue += index.takeOrders()
    for order in queue {
      switch order {
      case .remove(let name): files.remove(name)
      case .removeAll(let items): files.subtract(items.compactMap { $0?.name })
      case .write: break
      }
    }
    #expect(files.isEmpty, "no file is left without an order to remove it")
    #expect(index.memoryUsed == 0)
    #expect(index.diskUsed == 0)
    #expect(index.backlog == 0)
  }

  @Test func `the oldest variant goes for one too many`() throws {
    var index = CacheIndex(memoryBytes: 1_000_000, diskBytes: 0)
    let key = CacheContent.key(0)
    for number in 0...CacheIndex.maximumVariants {
      let request = CacheRequest(headers: ["X": "\(number)"])
      let entry = CacheEntry(status: 200, headers: ["Vary": "X"], requestTime: 0, responseTime: 0, to: request)
      index.put(try #require(entry), for: key, toDisk: false)
    }
    #expect(index.memoryCount == CacheIndex.maximumVariants)
    #expect(index.find(key, ["X": "0"]).slot == nil)
    #expect(index.find(key, ["X": "0"]).isKeyKnown)
    for number in 1...CacheIndex.maximumVariants { #expect(index.find(key, ["X": "\(number)"]).slot != nil) }
  }

  @Test func `a response that varies otherwise replaces all of its URL`() throws {
    var index = CacheIndex(memoryBytes: 1_000_000, diskBytes: 0)
    let key = CacheContent.key(0)
    for vary in ["", "X", "X, Y"] {
      for value in ["1", "2"] {
        let request = CacheRequest(headers: ["X": value, "Y": "1"])
        let entry = CacheEntry(status: 200, headers: ["Vary": vary], requestTime: 0, responseTime: 0, to: request)
        index.put(try #require(entry), for: key, toDisk: false)
      }
      #expect(index.memoryCount == (vary.isEmpty ? 1 : 2))
    }
    #expect(index.find(key, ["X": "1"]).slot == nil)
  }

  @Test func `what waits for the disk is bounded`() {
    var index = CacheIndex(memoryBytes: 0, diskBytes: 1_000_000_000)
    let count = 8 * 1_048_576
    for number in 0..<8 { index.put(CacheContent.entry(number, version: 1, count: count), for: CacheContent.key(number), toDisk: true) }
    #expect(index.backlog <= CacheIndex.maximumBacklog)
    #expect(index.diskCount == 3)
    #expect(index.declined == 5)
  }
}
