import HttpWire
import TestSupport
import Testing

@Suite("Readers and random input")
struct RandomInputTests {
  @Test("100,000 random byte strings make neither reader trap")
  func random() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<100_000 {
      let bytes = generator.bytes(upTo: 32)
      _ = readResponse([Array("HTTP/1.1 200 \r\n".utf8).prefix(Int(generator.next() % 20)) + bytes])
      _ = readRequest([bytes])
    }
  }

  @Test("100,000 damaged messages make neither reader trap, and read the same however they are cut")
  func damaged() {
    var generator = SeededGenerator(seed: 2)
    let responses = Corpus.responses.map { Array($0.utf8) }
    let requests = Corpus.requests.map { Array($0.utf8) }
    for round in 0..<100_000 {
      let response = generator.mutation(of: responses[round % responses.count])
      let request = generator.mutation(of: requests[round % requests.count])
      let wholeResponse = readResponse([response])
      let wholeRequest = readRequest([request])
      guard round % 10 == 0 else { continue }
      #expect(readResponse(pieces(response, [Int.random(in: 0...response.count, using: &generator)])) == wholeResponse)
      #expect(readResponse(response.map { [$0] }) == wholeResponse)
      #expect(readRequest(pieces(request, [Int.random(in: 0...request.count, using: &generator)])) == wholeRequest)
      #expect(readRequest(request.map { [$0] }) == wholeRequest)
    }
  }
}
