import HttpWire
import TestSupport
import Testing

struct ContentDecoderTests {
  @Test(arguments: CodedFormat.allCases, [0, 1, 100, 5_000, 300_000])
  func `what real programs encode comes back, however it is cut`(format: CodedFormat, size: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(size))
    let plain = generator.text(size)
    let coded = try await format.encode(plain)
    #expect(try decoded([coded], [format.coding]) == plain)
    #expect(try decoded(coded.map { [$0] }, [format.coding]) == plain)
    for budget in [1, 7, 100, 4_096, 65_536] where budget > 7 || size <= 5_000 {
      #expect(try decoded(generator.pieces(of: coded), [format.coding], budget: budget) == plain)
    }
  }

  @Test(arguments: CodedFormat.allCases)
  func `each beginning of a coded body is truncated`(format: CodedFormat) async throws {
    var generator = SeededGenerator(seed: 3)
    let coded = try await format.encode(generator.text(3_000))
    for count in 1..<coded.count {
      #expect(outcome([Array(coded[..<count])], [format.coding]).kind == .truncated, "\(count) bytes")
    }
    #expect(try decoded([], [format.coding]).isEmpty)
  }

  @Test(arguments: CodedFormat.allCases)
  func `each beginning of a coded body in a coded body is truncated`(format: CodedFormat) async throws {
    var generator = SeededGenerator(seed: 4)
    let inner = try await format.encode(generator.text(400))
    for outer in CodedFormat.allCases {
      let coded = try await outer.encode(inner)
      #expect(try decoded(coded.map { [$0] }, ["\(format.coding), \(outer.coding)"]).count == 400)
      for count in 1..<coded.count {
        let cut = Array(coded[..<count])
        #expect(outcome([cut], [format.coding, outer.coding]).kind == .truncated, "\(count) bytes of \(outer)")
      }
    }
  }

  @Test(arguments: CodedFormat.allCases)
  func `bytes behind the end are an error, whether they come with it or later`(format: CodedFormat) async throws {
    let coded = try await format.encode(Array("a body".utf8))
    for surplus in [[0x41], [0x1F, 0x41], Array("\r\n".utf8), [0xFF, 0, 0, 0, 0]] as [[UInt8]] {
      for pieces in [[coded + surplus], [coded, surplus], [coded] + surplus.map { [$0] }] {
        let found = outcome(pieces, [format.coding]).kind
        // A byte or two may yet be the beginning of a further member or frame.
        #expect(found == .malformed || found == .truncated && surplus.count < 4 && [.gzip, .zstd].contains(format), "\(surplus)")
      }
    }
  }

  @Test(arguments: CodedFormat.allCases)
  func `damage is told or harmless, the same however the body is cut`(format: CodedFormat) async throws {
    var generator = SeededGenerator(seed: 5)
    let plain = generator.text(600)
    let coded = try await format.encode(plain)
    let limits = DecodingLimits(maxBytes: 100_000)
    var failures = 0
    for _ in 0..<2_000 {
      let damaged = generator.mutation(of: coded)
      let whole = outcome([damaged], [format.coding], limits: limits)
      let cut = outcome(generator.pieces(of: damaged), [format.coding], limits: limits, budget: 50)
      switch (whole, cut) {
      case (.success(let one), .success(let other)): #expect(one == other)
      case (.failure(let one), .failure(let other)):
        failures += 1
        #expect(one.kind == other.kind, "\(one), \(other)")
      default: Issue.record("\(whole) in one piece, \(cut) in several")
      }
    }
    #expect(failures > 1_500)
  }

  @Test(arguments: CodedFormat.allCases)
  func `random bytes make no decoder trap`(format: CodedFormat) async throws {
    var generator = SeededGenerator(seed: 6)
    let beginning = try await Array(format.encode(generator.text(100)).prefix(12))
    for round in 0..<2_000 {
      let bytes = beginning.prefix(round % 12) + generator.bytes(upTo: 64)
      _ = outcome([Array(bytes)], [format.coding], limits: DecodingLimits(maxBytes: 100_000))
    }
  }

  @Test func `a decoder that failed fails the same again`() throws {
    let limits = DecodingLimits(maxBytes: 100)
    let decoder = try #require(try ContentDecoder.make(contentEncoding: ["content-encoding": "gzip"], limits: limits))
    var body: [UInt8] = []
    let error = try #require(throws: WireError.self) { try decoder.take(Array("not gzip".utf8), into: &body) }
    #expect(error.message == "the body is not valid gzip: incorrect header check")
    #expect(throws: error) { try decoder.take([], into: &body) }
    #expect(throws: error) { try decoder.finish() }
  }

  @Test func `it counts what it takes and gives`() async throws {
    let plain = [UInt8](repeating: 0x61, count: 10_000)
    let coded = try await CodedFormat.gzip.encode(plain)
    let limits = DecodingLimits(maxBytes: 1 << 20)
    let decoder = try #require(try ContentDecoder.make(contentEncoding: ["content-encoding": "gzip"], limits: limits))
    var body: [UInt8] = []
    try decoder.take(coded, into: &body)
    #expect(decoder.encodedBytes == Int64(coded.count) && decoder.decodedBytes == 10_000 && body == plain)
  }
}
