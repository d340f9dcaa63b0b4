import HttpWire
import TestSupport
import Testing

@Suite("gzip and deflate as they are met")
struct GzipTests {
  private static let plain = Array("a body of some length, a body of some length".utf8)

  /// Members whose headers have all optional fields (RFC 1952 2.3.1).
  private static let withAllFields = """
    (lambda head: head + struct.pack('<H', zlib.crc32(head) & 0xffff) + zlib.compress(data, 9)[2:-4] + struct.pack('<II', zlib.crc32(data), len(data)))(\
    b'\\x1f\\x8b\\x08\\x1e\\0\\0\\0\\0\\2\\3' + struct.pack('<H', 5) + b'extra' + b'name.txt\\0' + b'a comment\\0')
    """

  private func gzipped(_ expression: String = "gzip.compress(data)") async throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    return try await python(expression, try directory.write("body", Self.plain))
  }

  @Test func `a header with extra field, name, comment and checksum is read over`() async throws {
    let coded = try await gzipped(Self.withAllFields)
    #expect(try decoded([coded], ["gzip"]) == Self.plain)
    #expect(try decoded(coded.map { [$0] }, ["gzip"]) == Self.plain)
    for count in 1..<coded.count {
      #expect(outcome([Array(coded[..<count])], ["gzip"]).kind == .truncated, "\(count)")
    }
  }

  @Test func `a header whose checksum is wrong is an error`() async throws {
    var coded = try await gzipped(Self.withAllFields)
    coded[12] ^= 1
    #expect(outcome([coded], ["gzip"]).kind == .malformed)
  }

  @Test(arguments: [1, 2, 3, 50])
  func `several members are one body`(count: Int) async throws {
    let member = try await gzipped()
    let coded = Array(repeatElement(member, count: count).joined())
    let expected = Array(repeatElement(Self.plain, count: count).joined())
    #expect(try decoded([coded], ["gzip"]) == expected)
    #expect(try decoded(coded.map { [$0] }, ["gzip"]) == expected)
    #expect(try decoded([coded], ["gzip"], budget: 1) == expected)
    // Whole members are a whole body; anything else is cut.
    for cut in 1..<coded.count {
      let found = outcome([Array(coded[..<cut])], ["gzip"])
      if cut % member.count == 0 {
        #expect(try found.get().count == cut / member.count * Self.plain.count)
      } else {
        #expect(throws: WireError.self, "\(cut)") { try found.get() }
      }
    }
  }

  @Test func `empty members add nothing`() async throws {
    let empty = try await gzipped("gzip.compress(b'')")
    let full = try await gzipped()
    #expect(try decoded([empty + empty + full + empty], ["gzip"]) == Self.plain)
  }

  @Test(arguments: [1, 2, 7, 1_000])
  func `zeros after the last member are padding, with anything behind them they are not`(count: Int) async throws {
    let coded = try await gzipped()
    let zeros = [UInt8](repeating: 0, count: count)
    #expect(try decoded([coded + zeros], ["gzip"]) == Self.plain)
    #expect(try decoded([coded] + zeros.map { [$0] }, ["gzip"]) == Self.plain)
    #expect(outcome([coded + zeros + [1]], ["gzip"]).kind == .malformed)
    #expect(outcome([coded, zeros, coded], ["gzip"]).kind == .malformed)
  }

  @Test func `wrong checksums and lengths are errors`() async throws {
    let coded = try await gzipped()
    for index in coded.count - 8..<coded.count {
      var damaged = coded
      damaged[index] ^= 0x10
      #expect(outcome([damaged], ["gzip"]).kind == .malformed)
    }
  }

  @Test func `deflate is told with and without wrapping, also where the first byte comes alone`() async throws {
    for expression in ["zlib.compress(data, 9)", "zlib.compress(data, 1)", "zlib.compress(data, 0)", "zlib.compress(data, 0)[2:-4]"] {
      let coded = try await gzipped(expression)
      #expect(try decoded([coded], ["deflate"]) == Self.plain, "\(expression)")
      #expect(try decoded([[coded[0]], Array(coded[1...])], ["deflate"]) == Self.plain, "\(expression)")
    }
  }

  @Test func `gzip is not taken for deflate, nor a body in the clear for either`() async throws {
    let coded = try await gzipped()
    #expect(outcome([coded], ["deflate"]).kind == .malformed)
    for coding in ["gzip", "deflate", "br", "zstd"] {
      #expect(outcome([Array("<html>not coded at all</html>".utf8)], [coding]).kind == .malformed, "\(coding)")
    }
  }

  @Test func `a zlib stream that wants a dictionary is an error`() async throws {
    let coded = try await gzipped("(lambda c: c.compress(data) + c.flush())(zlib.compressobj(zdict=b'a body of some'))")
    let error = #expect(throws: WireError.self) { try decoded([coded], ["deflate"]) }
    #expect(error?.kind == .malformed && error?.message == "the body is not valid deflate: it needs a dictionary")
  }
}
