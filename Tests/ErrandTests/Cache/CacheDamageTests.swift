import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// Files that do not hold what was written to them. Odd numbers of ``CacheContent`` vary, so that there is more in their files to damage.
@Suite struct CacheDamageTests {
  private let directory: TemporaryDirectory
  private let settings: HttpCache.Settings
  private var folder: String { directory.file("cache") }

  init() throws {
    directory = try TemporaryDirectory()
    settings = .test(in: directory) { $0.memoryBytes = 0 }
  }

  private func file(of number: Int) async throws -> (path: String, bytes: [UInt8]) {
    try await withCache(settings) { $0.store(number, count: 40) }
    let path = try #require(entryNames(in: folder).first)
    return ("cache/" + path, bytes(of: directory.file("cache/" + path)))
  }

  /// What becomes of a file with these bytes.
  private func expectNothing(_ number: Int, _ path: String, _ bytes: [UInt8], _ comment: Comment) async throws {
    try directory.write(path, bytes)
    try await withCache(settings) { cache in
      #expect(await cache.entry(number) == nil, comment)
      await cache.settle()
      #expect(cache.statistics.damaged == 1, comment)
      #expect(cache.statistics.diskEntries == 0, comment)
      #expect(cache.statistics.disk == .on, comment)
      #expect(entryNames(in: folder).isEmpty, comment)
    }
  }

  @Test(arguments: [0, 1]) func `a file with any one byte changed is dropped`(number: Int) async throws {
    let (path, bytes) = try await file(of: number)
    for index in bytes.indices {
      for mask in [0x01, 0x80] as [UInt8] {
        var changed = bytes
        changed[index] ^= mask
        try await expectNothing(number, path, changed, "byte \(index) ^ \(mask)")
      }
    }
  }

  @Test(arguments: [0, 1]) func `a file cut after any byte is dropped, and so is a longer one`(number: Int) async throws {
    let (path, bytes) = try await file(of: number)
    for count in bytes.indices { try await expectNothing(number, path, Array(bytes[..<count]), "cut after \(count)") }
    for more in [1, 32, 100_000] { try await expectNothing(number, path, bytes + [UInt8](repeating: 0, count: more), "\(more) more") }
    try await expectNothing(number, path, [UInt8](repeating: 0, count: bytes.count), "zeros")
  }

  @Test func `a whole file under another's name is dropped`() async throws {
    let (path, bytes) = try await file(of: 1)
    let name = CacheFileName(key: CacheContent.key(3), variant: CacheVariant(fields: ["x-number"], request: ["X-Number": "3"]))
    unlink(directory.file(path))
    try await expectNothing(3, "cache/" + name.text, bytes, "other key")
    let plain = CacheFileName(key: CacheContent.key(1), variant: CacheVariant(fields: [], request: [:]))
    try directory.write("cache/" + plain.text, bytes)
    try await withCache(settings) { #expect(await $0.entry(CacheContent.key(1)) == nil) }
  }

  @Test func `damage under a running cache is noticed when the file is read`() async throws {
    let (path, bytes) = try await file(of: 1)
    try await withCache(settings) { cache in
      var changed = bytes
      changed[bytes.count / 2] ^= 1
      try directory.write(path, changed)
      #expect(await cache.entry(1) == nil)
      #expect(cache.statistics.damaged == 1)
      cache.store(1, version: 2)
      await cache.settle()
      #expect(await cache.version(1) == 2)
      // A file that is gone is a miss, not damage.
      unlink(directory.file(path))
      #expect(await cache.entry(1) == nil)
      #expect(cache.statistics.damaged == 1)
      #expect(cache.statistics.failures.isEmpty)
    }
  }

  @Test func `a name that is no file is not read`() async throws {
    let (path, _) = try await file(of: 0)
    for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }, { symlink("/etc/passwd", $0) }] as [(String) -> Int32] {
      try await withCache(settings) { cache in
        cache.store(0)
        await cache.settle()
        unlink(directory.file(path))
        #expect(make(directory.file(path)) == 0)
        #expect(await cache.entry(0) == nil)
        #expect(cache.statistics.disk == .on)
      }
      _ = Glibc.remove(directory.file(path))
    }
  }
}
