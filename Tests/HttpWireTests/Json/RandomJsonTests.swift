import HttpWire
import TestSupport
import Testing

@Suite("JSON and random input")
struct RandomJsonTests {
  @Test("100,000 random and 100,000 damaged texts do not trap, and checking agrees with reading")
  func random() {
    var generator = SeededGenerator(seed: 4)
    let valid = (JsonTests.good + [JsonPointerTests.document]).map { Array($0.utf8) }
    for round in 0..<200_000 {
      let bytes = round.isMultiple(of: 2) ? generator.bytes(upTo: 16) : generator.mutation(of: valid[round / 2 % valid.count])
      let isValid = (try? Json.validate(bytes)) != nil
      let value = try? JsonValue.parse(bytes, allowsDuplicateKeys: true)
      if isValid != (value != nil) { Issue.record("checking and reading differ over \(bytes)") }
      if round % 15 == 0 { _ = try? Json.range(of: "/foo/1", in: bytes) }
    }
  }
}
