import HttpWire
import Testing

@Suite("Readers and the cutting of their input")
struct SplitTests {
  static let tight: WireLimits = {
    var limits = WireLimits()
    limits.headBytes = 60
    limits.headerCount = 2
    limits.startLineBytes = 20
    limits.trailerBytes = 8
    limits.chunkLineBytes = 6
    limits.interimResponses = 1
    limits.bodyBytes = 4
    return limits
  }()

  @Test("a response reads the same wherever its bytes are cut", arguments: Corpus.responses)
  func responses(text: String) {
    let input = Array(text.utf8)
    for limits in [WireLimits(), Self.tight] {
      for method in [HttpMethod.get, .head] {
        let whole = readResponse([input], method: method, limits: limits)
        for cut in 0...input.count {
          #expect(readResponse(pieces(input, [cut]), method: method, limits: limits) == whole)
        }
        #expect(readResponse(input.map { [$0] }, method: method, limits: limits) == whole)
      }
    }
  }

  @Test("a request reads the same wherever its bytes are cut", arguments: Corpus.requests)
  func requests(text: String) {
    let input = Array(text.utf8)
    for limits in [WireLimits(), Self.tight] {
      let whole = readRequest([input], limits: limits)
      for cut in 0...input.count { #expect(readRequest(pieces(input, [cut]), limits: limits) == whole) }
      #expect(readRequest(input.map { [$0] }, limits: limits) == whole)
    }
  }
}
