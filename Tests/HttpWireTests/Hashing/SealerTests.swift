import Hashing
import Testing

struct SealerTests {
  private let key = [UInt8](0..<32)
  private let context = Array("here".utf8)

  @Test func `what was sealed opens again, whatever its length`() throws {
    let sealer = try #require(Sealer(key: key))
    for count in [0, 1, 15, 16, 17, 1_000, 100_000] {
      let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let sealed = try #require(sealer.seal(plain, context: context))
      #expect(sealed.count == count + Sealer.overhead)
      #expect(sealer.open(sealed, context: context) == plain)
      // Another one of the same key.
      #expect(Sealer(key: key)?.open(sealed, context: context) == plain)
    }
  }

  @Test func `it opens nowhere else, with no other key, and not if a single bit is different`() throws {
    let sealer = try #require(Sealer(key: key))
    let sealed = try #require(sealer.seal(Array("a secret".utf8), context: context))
    #expect(sealer.open(sealed, context: Array("there".utf8)) == nil)
    #expect(Sealer(key: key.reversed())?.open(sealed, context: context) == nil)
    for bit in 0..<(sealed.count * 8) {
      var damaged = sealed
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(sealer.open(damaged, context: context) == nil)
    }
    for count in 0..<sealed.count { #expect(sealer.open(Array(sealed[..<count]), context: context) == nil) }
    #expect(sealer.open(sealed, context: context) == Array("a secret".utf8))
  }

  @Test func `the same text is never sealed in the same way twice`() throws {
    let sealer = try #require(Sealer(key: key))
    let nonces = (0..<1_000).compactMap { _ in sealer.seal([1], context: context)?.prefix(12) }
    #expect(Set(nonces).count == 1_000)
  }

  @Test(arguments: [0, 16, 31, 33]) func `a key has 32 bytes`(count: Int) {
    #expect(Sealer(key: [UInt8](repeating: 1, count: count)) == nil)
  }
}
