import Dispatch
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct CacheRaceTests {
  @Test(arguments: [0, 30_000, 1_000_000]) func `many threads never read a torn or wrong entry`(memoryBytes: Int) async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory) { ($0.memoryBytes, $0.diskBytes) = (memoryBytes, 200_000) }
    var kept: [Int: Int] = [:]
    try await withCache(settings) { cache in
      let wrong = Locked(0)
      let right = Locked(0)
      let open = Locked(0)
      @Sendable func look(_ entry: CacheEntry?, _ number: Int) {
        guard let entry else { return }
        let isRight = CacheContent.version(of: entry, number) != nil
        (isRight ? right : wrong).withLock { $0 += 1 }
      }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        DispatchQueue.global().async {
          DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<400 {
              let number = Int.random(in: 0..<12, using: &generator)
              let key = CacheContent.key(number)
              switch Int.random(in: 0..<10, using: &generator) {
              case 0: cache.invalidate(key)
              case 1: if step % 100 == 0 { cache.clear() }
              case 2, 3, 4: cache.store(number, version: thread * 1_000 + step, count: Int.random(in: 0..<20_000, using: &generator))
              default:
                switch cache.lookup(key, CacheContent.request(number)) {
                case .memory(let entry):
                  look(entry, number)
                  if step % 7 == 0 { cache.update(entry, for: key) }
                case .none: break
                case .onDisk(let ticket):
                  open.withLock { $0 += 1 }
                  cache.load(ticket) { entry in
                    look(entry, number)
                    open.withLock { $0 -= 1 }
                  }
                }
              }
            }
          }
          continuation.resume()
        }
      }
      try await waitUntil("the loads") { open.withLock { $0 } == 0 }
      await cache.settle()
      await cache.settle()
      #expect(wrong.withLock { $0 } == 0)
      #expect(right.withLock { $0 } > 0)
      let statistics = cache.statistics
      #expect(statistics.memoryBytes <= memoryBytes)
      #expect(statistics.diskBytes <= settings.diskBytes)
      #expect(statistics.damaged == 0)
      #expect(statistics.failures.isEmpty)
      #expect(statistics.diskEntries == entryNames(in: directory.file("cache")).count)
      for number in 0..<12 { kept[number] = await cache.version(number) }
    }
    // The disk has the very ones that won.
    try await withCache(settings) { cache in
      for number in 0..<12 { #expect(await cache.version(number) == kept[number], "\(number)") }
    }
  }
}
