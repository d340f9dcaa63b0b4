import HttpWire
import TestSupport
import Testing

@Suite("Bodies that decode to much more than they are")
struct BombTests {
  private static let size = 16 << 20

  /// Zeros, encoded once.
  private func bomb(_ format: CodedFormat) async throws -> [UInt8] {
    try await format.encode([UInt8](repeating: 0, count: Self.size))
  }

  private struct Run {
    var body = 0
    var largestStep = 0
    var error: WireError?
  }

  /// Feeds a body piece by piece, and keeps nothing of it.
  private func feed(_ coded: [UInt8], _ codings: String, _ limits: DecodingLimits, budget: Int = 1 << 18) throws -> Run {
    let decoder = try #require(try ContentDecoder.make(contentEncoding: ["Content-Encoding": codings], limits: limits))
    var run = Run()
    var offset = 0
    do throws(WireError) {
      var progress = ContentDecoder.Progress.hasMore
      while progress == .hasMore {
        var output: [UInt8] = []
        defer {
          run.body += output.count
          // What it takes in memory: arrays grow to twice what is in them, and the allocator rounds up.
          run.largestStep = max(run.largestStep, output.capacity)
        }
        progress = try coded.span.bytes.withUnsafeBytes { (bytes) throws(WireError) in
          try decoder.decode(bytes, at: &offset, into: &output, budget: budget)
        }
      }
      try decoder.finish()
    } catch {
      run.error = error
    }
    return run
  }

  @Test(arguments: CodedFormat.allCases)
  func `the limit on bytes holds to the byte`(format: CodedFormat) async throws {
    let coded = try await format.encode([UInt8](repeating: 0, count: 100_000))
    for limit in [100_000, 1 << 40, .max] as [Int64] {
      let run = try feed(coded, format.coding, DecodingLimits(maxBytes: limit))
      #expect(run.error == nil && run.body == 100_000)
    }
    for limit in [0, 1, 99_999] as [Int64] {
      let run = try feed(coded, format.coding, DecodingLimits(maxBytes: limit))
      #expect(run.error?.kind == .tooLarge && run.error?.limit == "maxBytes" && run.body == limit + 1)
    }
  }

  @Test(arguments: CodedFormat.allCases)
  func `a bomb stops at its ratio or its limit, a step at its budget`(format: CodedFormat) async throws {
    let coded = try await bomb(format)
    let byRatio = try feed(coded, format.coding, DecodingLimits(maxBytes: .max))
    #expect(byRatio.error?.kind == .tooLarge && byRatio.error?.limit == "maxRatio")
    #expect(byRatio.body <= max(1 << 20, 200 * coded.count) + (1 << 18) + 1)
    #expect(byRatio.largestStep <= 1 << 20)

    let byLimit = try feed(coded, format.coding, DecodingLimits(maxBytes: 5_000_000, maxRatio: .max))
    #expect(byLimit.error?.limit == "maxBytes" && byLimit.body == 5_000_001)

    let allowed = try feed(coded, format.coding, DecodingLimits(maxBytes: Int64(Self.size), maxRatio: .max), budget: 10_000)
    #expect(allowed.error == nil && allowed.body == Self.size && allowed.largestStep <= 40_000)
  }

  @Test func `the ratio is judged above its floor alone`() async throws {
    let coded = try await CodedFormat.gzip.encode([UInt8](repeating: 0, count: 1 << 20))
    #expect(try feed(coded, "gzip", DecodingLimits(maxBytes: .max)).error == nil)
    #expect(try feed(coded, "gzip", DecodingLimits(maxBytes: .max, ratioFloor: (1 << 20) - 1)).error?.limit == "maxRatio")
    #expect(try feed(coded, "gzip", DecodingLimits(maxBytes: .max, maxRatio: 5_000, ratioFloor: 0)).error == nil)
    #expect(try feed(coded, "gzip", DecodingLimits(maxBytes: .max, maxRatio: -1, ratioFloor: -1)).error?.limit == "maxRatio")
    #expect(try feed(coded, "gzip", DecodingLimits(maxBytes: .max, maxRatio: .max, ratioFloor: 0)).error == nil)
  }

  @Test(arguments: [CodedFormat.gzip, .brotli, .zstd])
  func `a bomb in a bomb stops as well`(outer: CodedFormat) async throws {
    let coded = try await outer.encode(try await bomb(.gzip))
    let run = try feed(coded, "gzip, \(outer.coding)", DecodingLimits(maxBytes: .max))
    #expect(run.error?.limit == "maxRatio" && run.largestStep <= 1 << 20)
    #expect(run.body <= (1 << 20) + 200 * coded.count + (1 << 18) + 1)
    #expect(try feed(coded, "gzip, \(outer.coding)", DecodingLimits(maxBytes: 1_000_000, maxRatio: .max)).error?.limit == "maxBytes")
  }

  @Test func `a bomb of empty members between two codings stops, and each step on the way does`() async throws {
    let empty = try await CodedFormat.gzip.encode([])
    let coded = try await CodedFormat.gzip.encode(Array(repeatElement(empty, count: 100_000).joined()))
    let byRatio = try feed(coded, "gzip, gzip", DecodingLimits(maxBytes: .max))
    #expect(byRatio.error?.limit == "maxRatio" && byRatio.body == 0)
    let byLimit = try feed(coded, "gzip, gzip", DecodingLimits(maxBytes: 1 << 20, maxRatio: .max))
    #expect(byLimit.error?.limit == "maxBytes" && byLimit.body == 0)

    let limits = DecodingLimits(maxBytes: .max, maxRatio: .max)
    let decoder = try #require(try ContentDecoder.make(contentEncoding: ["Content-Encoding": "gzip, gzip"], limits: limits))
    var offset = 0
    var output: [UInt8] = []
    var steps = 0
    var progress = ContentDecoder.Progress.hasMore
    while progress == .hasMore {
      steps += 1
      progress = try coded.span.bytes.withUnsafeBytes { (bytes) throws(WireError) in
        try decoder.decode(bytes, at: &offset, into: &output, budget: 100_000)
      }
    }
    try decoder.finish()
    #expect(steps > 100_000 * empty.count / 200_000 && output.isEmpty)
  }

  @Test func `a body that decodes to nothing does not go on without end`() async throws {
    let empty = try await CodedFormat.gzip.encode([])
    let run = try feed(Array(repeatElement(empty, count: 10_000).joined()), "gzip", DecodingLimits(maxBytes: 1_000))
    #expect(run.error?.limit == "maxBytes" && run.body == 0)
  }
}
