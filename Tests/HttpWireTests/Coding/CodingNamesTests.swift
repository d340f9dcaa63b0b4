import HttpWire
import TestSupport
import Testing

@Suite("Content-Encoding")
struct CodingNamesTests {
  @Test(arguments: [
    [], ["identity"], [""], [",", " , "], ["Identity", "identity, identity"], ["none"],
    ["identity,identity,identity", "identity,identity"],
  ]) func `what is not coded needs no decoder`(fields: [String]) throws {
    var headers: HttpHeaders = ["Content-Type": "text/plain", "Transfer-Encoding": "gzip, chunked"]
    for field in fields { headers.append("content-encoding", field) }
    #expect(try ContentDecoder.make(contentEncoding: headers, limits: DecodingLimits(maxBytes: 1)) == nil)
  }

  @Test(arguments: ["gzip", "x-gzip", "GZip", "X-GZIP", " gzip\t", "identity, gzip", "gzip,", ",,gzip, identity"])
  func `gzip has two names in any case`(field: String) async throws {
    let coded = try await CodedFormat.gzip.encode([1, 2, 3])
    #expect(try decoded([coded], [field]) == [1, 2, 3])
  }

  @Test(arguments: [
    ("lzma", "\"lzma\""), ("gzip, compress", "\"compress\""), ("gzip;q=1", "\"gzip;q=1\""), ("gzip br", "\"gzip br\""),
    ("deflate64", "\"deflate64\""), ("\"gzip\"", "\"\\x22gzip\\x22\""), ("aws-chunked", "\"aws-chunked\""),
    ("ünknown", "\"\\xC3\\xBCnknown\""), ("dcb", "\"dcb\""),
    (String(repeating: "x", count: 3_000), "\"" + String(repeating: "x", count: 40) + "…\""),
  ]) func `an unknown coding is refused by name`(field: String, name: String) {
    let error = #expect(throws: WireError.self) { try decoded([], [field]) }
    #expect(error?.kind == .unsupported && error?.message == "the content coding \(name) is not supported")
  }

  @Test func `codings in one field and in several are undone from the last to the first`() async throws {
    let plain = Array("stacked".utf8)
    let inner = try await CodedFormat.gzip.encode(plain)
    let middle = try await CodedFormat.brotli.encode(inner)
    let outer = try await CodedFormat.zstd.encode(middle)
    for fields in [["gzip, br, zstd"], ["gzip", "br", "zstd"], ["gzip,br", "identity", "zstd"]] {
      #expect(try decoded([outer], fields) == plain)
      #expect(try decoded(outer.map { [$0] }, fields, budget: 1) == plain)
    }
    #expect(throws: WireError.self) { try decoded([outer], ["zstd, br, gzip"]) }
  }

  @Test func `there are four codings at the most`() async throws {
    var coded = Array("stacked".utf8)
    for _ in 0..<4 { coded = try await CodedFormat.gzip.encode(coded) }
    #expect(try decoded([coded], ["gzip, gzip", "gzip, gzip, identity"]) == Array("stacked".utf8))
    let error = #expect(throws: WireError.self) { try decoded([coded], ["gzip, gzip", "gzip, gzip, gzip"]) }
    #expect(error?.kind == .tooLarge && error?.limit == "maxCodings")
  }

  @Test func `a request asks for the codings that are known`() async throws {
    for coding in ContentDecoder.acceptEncoding.split(separator: ", ") {
      #expect(try ContentDecoder.make(contentEncoding: ["Content-Encoding": String(coding)], limits: DecodingLimits(maxBytes: 1)) != nil)
    }
  }
}
