import TestSupport
import Testing

@testable import HttpWire

@Suite struct CacheRecordTests {
  private func record() throws -> CacheRecord {
    let request = CacheRequest(headers: ["Accept": "a/b", "X-A": "1"])
    let entry = try #require(
      CacheEntry(
        status: 203, reason: "Fine é", headers: fields("Vary: Accept, X-A | ETag: \"a\" | X: "), body: Array("the body".utf8),
        isDecoded: true,
        requestTime: cameAt - 1, responseTime: cameAt, to: request))
    return CacheRecord(key: CacheKey(try HttpUrl("http://a.example/")), entry: entry)
  }

  private func parts(_ bytes: [UInt8]) -> CacheRecord? {
    let prologue = bytes.prefix(CacheRecord.prologueCount)
    guard let lengths = Array(prologue).withUnsafeBytes({ CacheRecord.lengths(prologue: $0) }) else { return nil }
    let rest = bytes.dropFirst(CacheRecord.prologueCount)
    guard rest.count == lengths.head else { return nil }
    return Array(rest).withUnsafeBytes { CacheRecord(head: $0, body: Array("the body".utf8)) }
  }

  @Test func `a record is read as it was written`() throws {
    let record = try record()
    let bytes = try #require(record.encodedHead())
    let read = try #require(parts(bytes))
    #expect(read == record)
    #expect(read.entry.headers == record.entry.headers)
    #expect(read.entry.variant.matches(["Accept": "a/b", "X-A": "1"]))
    let lengths = try #require(bytes.withUnsafeBytes { CacheRecord.lengths(prologue: UnsafeRawBufferPointer(rebasing: $0[..<24])) })
    #expect(lengths.body == 8)
    #expect(lengths.head == bytes.count - 24)
  }

  @Test func `a head cut anywhere or longer is none`() throws {
    let bytes = try #require(record().encodedHead())
    let head = Array(bytes.dropFirst(CacheRecord.prologueCount))
    for count in 0..<head.count {
      #expect(head[..<count].withUnsafeBytes { CacheRecord(head: $0, body: []) } == nil)
    }
    #expect((head + [0]).withUnsafeBytes { CacheRecord(head: $0, body: []) } == nil)
    #expect([UInt8](repeating: 0, count: 24).withUnsafeBytes { CacheRecord.lengths(prologue: $0) } == nil)
    #expect(bytes[..<23].withUnsafeBytes { CacheRecord.lengths(prologue: $0) } == nil)
  }

  @Test(arguments: 0..<UInt64(20)) func `a head with any byte changed traps nothing`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bytes = try #require(record().encodedHead())
    for index in bytes.indices {
      var changed = bytes
      changed[index] = UInt8.random(in: 0...255, using: &generator)
      _ = parts(changed)
      changed[index] = 0xFF
      _ = parts(changed)
    }
    for _ in 0..<200 {
      let noise = (0..<Int.random(in: 0...400, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      _ = noise.withUnsafeBytes { CacheRecord(head: $0, body: []) }
    }
  }

  @Test func `a head that is too long is not written`() throws {
    let value = String(repeating: "x", count: CacheRecord.maximumHead)
    let entry = try #require(CacheEntry(status: 200, headers: ["X": value], requestTime: 0, responseTime: 0, to: CacheRequest()))
    #expect(CacheRecord(key: CacheKey(try HttpUrl("http://a.example/")), entry: entry).encodedHead() == nil)
    #expect(entry.cost > CacheRecord.maximumHead)
  }
}
