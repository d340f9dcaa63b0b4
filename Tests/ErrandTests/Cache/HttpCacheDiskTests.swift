import Dispatch
import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct HttpCacheDiskTests {
  @Test func `what was stored is there after a restart`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory)
    var stored: [CacheEntry] = []
    try await withCache(settings) { cache in
      #expect(cache.statistics.disk == .on)
      for number in 0..<20 { cache.store(number, count: number * 1_000) }
      for number in 0..<20 { stored.append(try #require(await cache.entry(number))) }
      await cache.settle()
      #expect(cache.statistics.diskEntries == 20)
    }
    try await withCache(settings) { cache in
      #expect(cache.statistics.diskEntries == 20)
      #expect(cache.statistics.memoryEntries == 0)
      for number in 0..<20 {
        #expect(cache.lookup(CacheContent.key(number), CacheContent.request(number)).words == "disk")
        var entry = try #require(await cache.entry(number))
        #expect(CacheContent.version(of: entry, number) == 1)
        entry.stamp = stored[number].stamp
        #expect(entry == stored[number])
        // The next time it comes from memory.
        #expect(cache.lookup(CacheContent.key(number), CacheContent.request(number)).words == "memory")
      }
      #expect(cache.lookup(CacheContent.key(1), ["X-Number": "3"]).words == "vary-miss")
      #expect(cache.statistics.diskHits == 20)
      #expect(cache.statistics.failures.isEmpty)
    }
  }

  @Test func `an entry keeps all that it has`() async throws {
    let directory = try TemporaryDirectory()
    var headers: HttpHeaders = ["Vary": "X-A, X-B", "Set-Cookie": "a=b", "set-cookie": "c=d", "X-Empty": ""]
    let odd: [UInt8] = [0xE9, 0x80, 0xFF]
    odd.withUnsafeBytes { odd in Array("X-Odd".utf8).withUnsafeBytes { headers.append(name: $0, value: odd) } }
    let request = CacheRequest(headers: ["X-A": "1", "X-B": "secret-word"])
    let entry = try #require(
      CacheEntry(
        status: 404, reason: "Not é", headers: headers, body: [0, 255, 10], isDecoded: true, requestTime: -5, responseTime: .max,
        to: request))
    let settings = HttpCache.Settings.test(in: directory)
    try await withCache(settings) { $0.store(entry, for: CacheContent.key(0)) }
    try await withCache(settings) { cache in
      var read = try #require(await cache.entry(CacheContent.key(0), request.headers))
      read.stamp = 0
      #expect(read == entry)
      #expect(cache.lookup(CacheContent.key(0), ["X-A": "1"]).words == "vary-miss")
    }
    // What the request said is not on disk.
    for name in names(in: directory.file("cache")) {
      #expect(!String(decoding: bytes(of: directory.file("cache/" + name)), as: UTF8.self).contains("secret-word"))
    }
  }

  @Test func `files and directory are for the user alone`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory) { $0.directory = directory.file("a/b/cache") }
    try await withCache(settings) { cache in
      cache.store(0)
      await cache.settle()
      for path in ["a", "a/b", "a/b/cache"] { #expect(mode(of: directory.file(path)) == 0o700) }
      let names = names(in: directory.file("a/b/cache"))
      #expect(names.count == 2)
      for name in names { #expect(mode(of: directory.file("a/b/cache/" + name)) == 0o600) }
    }
  }

  @Test func `files take no more than they may, and those used longest ago go`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory) { ($0.diskBytes, $0.memoryBytes) = (5 * 12_288, 0) }
    try await withCache(settings) { cache in
      for number in stride(from: 0, to: 10, by: 2) {
        cache.store(number, count: 10_000)
        await cache.settle()
      }
      #expect(await cache.version(0) == 1)
      cache.store(10, count: 10_000)
      await cache.settle()
      #expect(await cache.version(2) == nil)
      #expect(await cache.version(0) == 1)
      #expect(cache.statistics.evictedFromDisk == 1)
      #expect(cache.statistics.diskBytes <= settings.diskBytes)
      #expect(entryNames(in: directory.file("cache")).count == 5)
    }
    // The order of use outlasts a restart, and so does a new bound.
    var smaller = settings
    smaller.diskBytes = 2 * 12_288
    try await withCache(smaller) { cache in
      await cache.settle()
      #expect(cache.statistics.diskEntries == 2)
      #expect(entryNames(in: directory.file("cache")).count == 2)
      #expect(await cache.version(0) == 1)
      #expect(await cache.version(10) == 1)
    }
  }

  @Test func `what is larger than memory is on disk only`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory) { $0.memoryBytes = 5_000 }) { cache in
      cache.store(0, count: 50_000)
      await cache.settle()
      #expect(cache.statistics.memoryEntries == 0)
      #expect(cache.lookup(CacheContent.key(0), [:]).words == "disk")
      #expect(await cache.version(0) == 1)
      #expect(await cache.version(0) == 1)
      #expect(cache.statistics.memoryBytes == 0)
    }
  }

  @Test func `what is on its way to disk is found`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory) { $0.memoryBytes = 0 }) { cache in
      cache.writing.suspend()
      for version in 1...3 { cache.store(0, version: version) }
      #expect(cache.lookup(CacheContent.key(0), [:]).words == "memory")
      #expect(await cache.version(0) == 3)
      #expect(entryNames(in: directory.file("cache")).isEmpty)
      cache.writing.resume()
      await cache.settle()
      #expect(cache.lookup(CacheContent.key(0), [:]).words == "disk")
      #expect(await cache.version(0) == 3)
      #expect(entryNames(in: directory.file("cache")).count == 1)
    }
  }

  @Test func `what was replaced or removed while it was written leaves no file`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory)) { cache in
      cache.store(0)
      cache.store(2)
      await cache.settle()
      cache.writing.suspend()
      cache.store(0, version: 2)
      cache.invalidate(CacheContent.key(0))
      cache.store(2, version: 2)
      cache.store(4, version: 2)
      cache.clear()
      cache.store(6)
      cache.writing.resume()
      await cache.settle()
      #expect(entryNames(in: directory.file("cache")).count == 1)
      #expect(cache.statistics.diskEntries == 1)
      #expect(await cache.version(6) == 1)
    }
  }

  @Test func `an entry that goes while it is read is not given`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory) { $0.memoryBytes = 0 }) { cache in
      for number in [0, 2, 4] { cache.store(number) }
      await cache.settle()
      cache.reading.suspend()
      let got = Locked<[Int: CacheEntry?]>([:])
      for number in [0, 2, 4] {
        guard case .onDisk(let ticket) = cache.lookup(CacheContent.key(number), [:]) else { throw TestTimeout("not on disk") }
        cache.load(ticket) { entry in got.withLock { $0[number] = .some(entry) } }
      }
      cache.invalidate(CacheContent.key(0))
      cache.store(2, version: 2)
      await cache.settle()
      cache.reading.resume()
      try await waitUntil("the loads") { got.withLock { $0.count } == 3 }
      let versions = got.withLock { $0.mapValues { $0.map(\.responseTime) } }
      #expect(versions == [0: nil, 2: nil, 4: 1])
      #expect(await cache.version(2) == 2)
      #expect(cache.statistics.damaged == 0)
    }
  }

  @Test func `before the directory is read its entries are misses`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory)
    try await withCache(settings) { cache in
      for number in 0..<10 { cache.store(number) }
    }
    let gate = HttpCache.Settings.test()
    let cache = HttpCache(gate)
    cache.writing.suspend()
    cache.state.withLock { $0.disk = .opening }
    cache.writing.async { cache.open(directory.file("cache")) }
    #expect(cache.lookup(CacheContent.key(0), [:]).words == "uri-miss")
    #expect(cache.statistics.disk == .opening)
    // What is done before then holds against what the directory has.
    cache.store(2, version: 2)
    cache.invalidate(CacheContent.key(4))
    #expect(await cache.version(2) == 2)
    cache.writing.resume()
    await cache.settle()
    await cache.settle()
    #expect(cache.statistics.disk == .on)
    #expect(await cache.version(0) == 1)
    #expect(await cache.version(2) == 2)
    #expect(await cache.version(4) == nil)
    #expect(cache.statistics.diskEntries == 9)
    #expect(entryNames(in: directory.file("cache")).count == 9)
    await cache.close()
    try await withCache(settings) { cache in
      #expect(await cache.version(2) == 2)
      #expect(await cache.version(4) == nil)
    }
  }

  @Test func `a cache that is cleared before its directory is read takes nothing from it`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory)
    try await withCache(settings) { cache in
      for number in 0..<10 { cache.store(number) }
    }
    let cache = HttpCache(settings)
    cache.clear()
    cache.store(2, version: 2)
    await cache.settle()
    await cache.settle()
    let found = cache.statistics.diskEntries
    // The directory may have been read before the call.
    #expect(found == 1)
    #expect(entryNames(in: directory.file("cache")).count == 1)
    #expect(await cache.version(2) == 2)
    await cache.close()
  }

  @Test func `foreign files are left alone; what was never finished, or is of an earlier version, goes`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory)
    try await withCache(settings) { $0.store(0) }
    let name = try #require(entryNames(in: directory.file("cache")).first)
    let other = String(repeating: "0", count: 64) + name.dropFirst(64)
    let foreign = ["a", "errand-cache-x.tmp", "errand-cache-1.tmp.old", name + "~", name.uppercased()]
    let outdated = String(name.dropFirst(65))
    for file in foreign + [outdated, "errand-cache-1.tmp", "errand-cache-18446744073709551615.tmp"] {
      try directory.write("cache/" + file, Array("x".utf8))
    }
    mkdir(directory.file("cache/directory"), 0o700)
    symlink("/etc/passwd", directory.file("cache/" + other))
    try await withCache(settings) { cache in
      #expect(cache.statistics.diskEntries == 1)
      let left = names(in: directory.file("cache"))
      #expect(Set(left) == Set(foreign + [name, other, "directory", "errand-cache.lock"]))
      cache.clear()
      await cache.settle()
      #expect(Set(names(in: directory.file("cache"))) == Set(foreign + [other, "directory", "errand-cache.lock"]))
    }
  }

  @Test func `a second cache on the directory keeps its entries in memory`() async throws {
    let directory = try TemporaryDirectory()
    let settings = HttpCache.Settings.test(in: directory)
    try await withCache(settings) { first in
      first.store(0)
      await first.settle()
      try await withCache(settings) { second in
        #expect(second.statistics.disk == .off("another process uses the directory"))
        #expect(second.statistics.failures == ["another process uses the directory": 1])
        #expect(await second.version(0) == nil)
        second.store(0, version: 2)
        second.store(2, version: 2)
        await second.settle()
        #expect(await second.version(0) == 2)
        second.clear()
        await second.settle()
      }
      #expect(await first.version(0) == 1)
      #expect(entryNames(in: directory.file("cache")).count == 1)
    }
    try await withCache(settings) { #expect($0.statistics.disk == .on) }
  }

  @Test func `a directory that can't be used leaves the memory`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", [])
    mkdir(directory.file("open"), 0o700)
    chmod(directory.file("open"), 0o777)
    for path in [
      directory.file("file"), directory.file("file/below"), directory.file("open"), "/proc", "", "\0", directory.file("x") + "\0y",
    ] {
      try await withCache(.test { $0.directory = path }) { cache in
        guard case .off = cache.statistics.disk else {
          Issue.record("\(path.debugDescription) is used")
          return
        }
        #expect(cache.statistics.failures.values.reduce(0, +) == 1)
        cache.store(0)
        await cache.settle()
        #expect(await cache.version(0) == 1)
        #expect(cache.statistics.failures.values.reduce(0, +) == 1)
      }
    }
    #expect(mode(of: directory.file("open")) == 0o777)
  }

  @Test func `a write that fails turns the disk off for a while`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory) { $0.memoryBytes = 10_000 }) { cache in
      cache.store(0)
      await cache.settle()
      // The directory goes under the cache's feet, and with it all ways to make a file.
      for name in names(in: directory.file("cache")) { unlink(directory.file("cache/" + name)) }
      rmdir(directory.file("cache"))
      cache.store(2)
      await cache.settle()
      guard case .off(let reason) = cache.statistics.disk else {
        Issue.record("it is on")
        return
      }
      #expect(cache.statistics.failures == [reason: 1])
      #expect(await cache.version(2) == 1)
      cache.store(4)
      await cache.settle()
      #expect(await cache.version(4) == 1)
      #expect(cache.statistics.failures == [reason: 1], "nothing more was tried")
      // What memory lets go of is nowhere.
      cache.store(6, count: 8_000)
      cache.store(8, count: 8_000)
      await cache.settle()
      #expect(await cache.version(2) == nil)
      #expect(await cache.version(0) == nil)
      // It is tried again when the pause is over.
      cache.state.withLock { $0.retryAt = .now() }
      cache.store(10)
      await cache.settle()
      #expect(cache.statistics.failures == [reason: 2])
      #expect(cache.statistics.unwritten == 5)
    }
  }

  @Test func `fields too long for a record are no failure of the disk`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory)) { cache in
      let long = String(repeating: "x", count: CacheRecord.maximumHead)
      let entry = try #require(CacheEntry(status: 200, headers: ["X": long], requestTime: 0, responseTime: 0, to: CacheRequest()))
      cache.store(entry, for: CacheContent.key(0))
      let name = String(repeating: "y", count: CacheRecord.namesCount)
      let other = try #require(CacheEntry(status: 200, headers: ["Vary": name], requestTime: 0, responseTime: 0, to: CacheRequest()))
      cache.store(other, for: CacheContent.key(2))
      await cache.settle()
      #expect(cache.statistics.disk == .on)
      #expect(cache.statistics.diskEntries == 0)
      #expect(cache.statistics.memoryEntries == 2)
      #expect(names(in: directory.file("cache")) == ["errand-cache.lock"])
    }
  }

  @Test func `nothing that a look-up, a store or a load does waits for the disk`() async throws {
    let directory = try TemporaryDirectory()
    try await withCache(.test(in: directory) { $0.memoryBytes = 0 }) { cache in
      cache.store(0)
      await cache.settle()
      // A disk that hangs: everything is answered all the same.
      cache.writing.suspend()
      cache.reading.suspend()
      await Task { @LoopActor in
        guard case .onDisk(let ticket) = cache.lookup(CacheContent.key(0), [:]) else {
          Issue.record("not on disk")
          return
        }
        cache.load(ticket) { _ in }
        cache.store(2)
        cache.invalidate(CacheContent.key(0))
        cache.clear()
        _ = cache.statistics
      }.value
      cache.writing.resume()
      cache.reading.resume()
    }
  }
}
