import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct HttpCacheMemoryTests {
  @Test func `what was stored is found under its key and its variant alone`() async throws {
    try await withCache(.test()) { cache in
      cache.store(0)
      cache.store(1)
      #expect(await cache.version(0) == 1)
      #expect(await cache.version(1) == 1)
      #expect(cache.lookup(CacheContent.key(2), [:]).words == "uri-miss")
      #expect(cache.lookup(CacheContent.key(1), ["X-Number": "3"]).words == "vary-miss")
      let url = try HttpUrl("http://a.example/0")
      #expect(cache.lookup(CacheKey(url, asker: CacheAsker(.bearer("x"))), [:]).words == "uri-miss")
      let statistics = cache.statistics
      #expect(statistics.memoryHits == 2)
      #expect(statistics.misses == 3)
      #expect(statistics.stored == 2)
      #expect(statistics.memoryEntries == 2)
      #expect(statistics.disk == .none)
      #expect(statistics.diskEntries == 0)
    }
  }

  @Test func `the last one stored replaces the one before`() async throws {
    try await withCache(.test()) { cache in
      for version in 1...3 { cache.store(0, version: version, count: version * 100) }
      #expect(await cache.version(0) == 3)
      #expect(cache.statistics.memoryEntries == 1)
    }
  }

  @Test func `what was not used for longest goes`() async throws {
    let cost = CacheContent.entry(0, version: 1, count: 1_000).cost
    try await withCache(.test { $0.memoryBytes = 4 * cost + cost / 2 }) { cache in
      for number in [0, 2, 4, 6] { cache.store(number, count: 1_000) }
      #expect(await cache.version(0) == 1)
      cache.store(8, count: 1_000)
      #expect(await cache.version(2) == nil)
      for number in [0, 4, 6, 8] { #expect(await cache.version(number) == 1) }
      #expect(cache.statistics.evictedFromMemory == 1)
      #expect(cache.statistics.memoryBytes <= 4 * cost + cost / 2)
    }
  }

  @Test func `what is too large is not stored, and what it would replace goes`() async throws {
    try await withCache(.test { $0.largestEntry = 10_000 }) { cache in
      cache.store(0, version: 1, count: 100)
      cache.store(0, version: 2, count: 10_000)
      #expect(await cache.version(0) == nil)
      #expect(cache.statistics.tooLarge == 1)
      cache.store(0, version: 3, count: 8_000)
      #expect(await cache.version(0) == 3)
    }
  }

  @Test func `a cache without room keeps nothing`() async throws {
    for bytes in [0, -1, Int.min] {
      try await withCache(.test { ($0.memoryBytes, $0.largestEntry, $0.diskBytes) = (bytes, 1_000_000, Int64(bytes)) }) { cache in
        cache.store(0)
        #expect(await cache.version(0) == nil)
        #expect(cache.statistics.memoryEntries == 0)
      }
    }
  }

  @Test func `what is invalidated is gone for every request`() async throws {
    try await withCache(.test()) { cache in
      let key = CacheContent.key(0)
      for value in ["1", "2"] {
        let request = CacheRequest(headers: ["X": value])
        let entry = CacheEntry(status: 200, headers: ["Vary": "X"], requestTime: 0, responseTime: 0, to: request)
        cache.store(try #require(entry), for: key)
      }
      cache.store(2)
      #expect(await cache.entry(key, ["X": "1"]) != nil)
      cache.invalidate(key)
      #expect(cache.lookup(key, ["X": "1"]).words == "uri-miss")
      #expect(cache.lookup(key, ["X": "2"]).words == "uri-miss")
      #expect(await cache.version(2) == 1)
      cache.clear()
      #expect(await cache.version(2) == nil)
      #expect(cache.statistics.memoryBytes == 0)
    }
  }

  @Test func `what one asker invalidates is gone for all`() async throws {
    try await withCache(.test()) { cache in
      let url = try HttpUrl("http://a.example/")
      let askers = [CacheAsker.nobody] + (0..<100).map { CacheAsker(.bearer("t\($0)")) }
      let keys = askers.map { CacheKey(url, asker: $0) }
      for round in 1...2 {
        for (number, key) in keys.enumerated() { cache.store(CacheContent.entry(2 * number, version: round, count: 100), for: key) }
        for (number, key) in keys.enumerated() {
          #expect(await cache.entry(key).flatMap { CacheContent.version(of: $0, 2 * number) } == round)
        }
        cache.invalidate(keys[7])
        for key in keys { #expect(cache.lookup(key, [:]).words == "uri-miss") }
      }
      #expect(cache.statistics.memoryBytes == 0)
    }
  }

  @Test func `an update replaces what it was made from and nothing newer`() async throws {
    try await withCache(.test()) { cache in
      let key = CacheContent.key(0)
      cache.store(0, version: 1)
      var old = try #require(await cache.entry(0))
      old.headers.append("X-Fresh", "1")
      cache.update(old, for: key)
      let fresh = try #require(await cache.entry(0))
      #expect(fresh.headers["X-Fresh"] == "1")
      // A second one made from the same entry comes too late.
      old.headers.append("X-Fresh", "2")
      cache.update(old, for: key)
      #expect(await cache.entry(0)?.headers.values("X-Fresh") == ["1"])
      cache.store(0, version: 2)
      cache.update(fresh, for: key)
      cache.remove(fresh, for: key)
      #expect(await cache.version(0) == 2)
      cache.invalidate(key)
      cache.update(fresh, for: key)
      #expect(await cache.entry(0) == nil)
    }
  }

  @Test func `an update may vary by other fields`() async throws {
    try await withCache(.test()) { cache in
      let request = CacheRequest(headers: ["X": "1"])
      let key = CacheContent.key(0)
      cache.store(
        try #require(CacheEntry(status: 200, headers: ["ETag": "\"a\""], requestTime: 0, responseTime: 0, to: request)), for: key)
      let old = try #require(await cache.entry(key, request.headers))
      let answer = CacheRules.receive(
        status: 304, headers: ["Vary": "X"], for: request, entry: old, policy: .default, requestTime: 1, now: 2)
      guard case .notModified(let fresh, keeps: true) = answer else {
        Issue.record("not validated")
        return
      }
      cache.update(fresh, for: key)
      #expect(await cache.entry(key, ["X": "1"])?.responseTime == 2)
      #expect(cache.lookup(key, ["X": "2"]).words == "vary-miss")
      #expect(cache.statistics.memoryEntries == 1)
    }
  }

  @Test func `an entry that was looked up is removed, unless it was replaced`() async throws {
    try await withCache(.test()) { cache in
      cache.store(0)
      let entry = try #require(await cache.entry(0))
      cache.remove(entry, for: CacheContent.key(2))
      #expect(await cache.version(0) == 1)
      cache.remove(entry, for: CacheContent.key(0))
      #expect(await cache.version(0) == nil)
    }
  }

  @Test func `one at a time refreshes a key in the background`() {
    let cache = HttpCache()
    #expect(cache.beginRefresh(CacheContent.key(0)))
    #expect(!cache.beginRefresh(CacheContent.key(0)))
    #expect(cache.beginRefresh(CacheContent.key(2)))
    cache.endRefresh(CacheContent.key(0))
    cache.endRefresh(CacheContent.key(4))
    #expect(cache.beginRefresh(CacheContent.key(0)))
  }

  @Test func `owners see nothing of each other's`() async throws {
    try await withCache(.test()) { cache in
      let url = try HttpUrl("http://a.example/")
      cache.store(CacheContent.entry(0, version: 1, count: 10), for: CacheKey(url, partition: "a"))
      #expect(cache.lookup(CacheKey(url, partition: "b"), [:]).words == "uri-miss")
      cache.invalidate(CacheKey(url, partition: "b"))
      #expect(cache.lookup(CacheKey(url, partition: "a"), [:]).words == "memory")
    }
  }
}
