import TestSupport
import Testing

@testable import HttpWire

@Suite struct JsonPathTests {
  private func found(_ pointers: [String], in text: String) throws -> [String?] {
    let bytes = Array(text.utf8)
    let paths = try pointers.map { (pointer) throws(JsonError) in try JsonPath(pointer) }
    return try Json.places(of: paths, in: bytes).map { $0.map { String(decoding: bytes[$0], as: UTF8.self) } }
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let pointers: [String]
    let found: [String?]
    var testDescription: String { "\(pointers) in \(text)" }
  }

  @Test(arguments: [
    Row(text: #" {"a": 1} "#, pointers: [""], found: [#"{"a": 1}"#]),
    Row(
      text: #"{"a": 1, "b": {"c": [1, "x", {"d": null}]}}"#, pointers: ["/b/c/2/d", "/a", "/b"],
      found: [
        "null", "1", #"{"c": [1, "x", {"d": null}]}"#,
      ]),
    Row(text: #"{"a": {"b": 1}}"#, pointers: ["/a", "/a/b", "/a/b/c", "/x", "/a/x"], found: [#"{"b": 1}"#, "1", nil, nil, nil]),
    Row(text: #"{"a": 1, "a": 2}"#, pointers: ["/a"], found: ["1"]),
    Row(text: #"{"a": {}, "a": {"b": 1}}"#, pointers: ["/a/b"], found: [nil]),
    Row(text: #"{"a~\u002fb": 3, "": 4}"#, pointers: ["/a~0~1b", "/"], found: ["3", "4"]),
    Row(text: "[10, 11, [12]]", pointers: ["/1", "/2/0", "/3", "/01", "/-", "/1x"], found: ["11", "12", nil, nil, nil, nil]),
    Row(text: "7", pointers: ["", "/a"], found: ["7", nil]),
    Row(text: "[]", pointers: ["/0"], found: [nil]),
    Row(text: "{}", pointers: ["/a", ""], found: [nil, "{}"]),
    Row(text: #"{"a": 1}"#, pointers: ["/a", "/a"], found: ["1", "1"]),
    Row(text: "[1]", pointers: [], found: []),
  ])
  func eachPathHasItsPlace(row: Row) throws {
    #expect(try found(row.pointers, in: row.text) == row.found)
  }

  @Test(arguments: ["", "{", #"{"a": 1} x"#, #"{"b": tru, "a": 1}"#, #"{"a": 1, "b": "\x"}"#, #"{"a": 1,}"#, "[1,]", "\u{FEFF}1"])
  func theTextIsReadToItsEnd(text: String) {
    #expect(throws: JsonError.self) { try found(["/a"], in: text) }
  }

  @Test func whatIsNoPointerIsRefused() {
    #expect(throws: JsonError.self) { try JsonPath("a") }
    #expect(throws: JsonError.self) { try JsonPath("/~2") }
  }

  @Test func aPlaceIsTheOneThatARangeIsFoundAt() throws {
    let keys = ["a", "b", "c", ""]
    for seed in 0..<UInt64(3_000) {
      var generator = SeededGenerator(seed: seed)
      func value(_ depth: Int) -> String {
        switch depth > 3 ? 0 : Int.random(in: 0...3, using: &generator) {
        case 1: "[" + (0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
        case 2, 3:
          "{"
            + (0..<Int.random(in: 0...3, using: &generator)).map { _ in
              "\"\(keys.randomElement(using: &generator) ?? "")\":" + value(depth + 1)
            }.joined(separator: " , ") + "}"
        default: ["1", "\"x\"", "null", "-0.5e3"].randomElement(using: &generator) ?? ""
        }
      }
      let text = Array(value(0).utf8)
      let pointers = (0..<5).map { _ in
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
          "/" + (["a", "b", "c", "", "0", "1"].randomElement(using: &generator) ?? "")
        }
        .joined()
      }
      let places = try Json.places(of: pointers.map { (pointer) throws(JsonError) in try JsonPath(pointer) }, in: text)
      for (pointer, place) in zip(pointers, places) { #expect(try Json.range(of: pointer, in: text) == place) }
    }
  }

  @Test func bytesOfAnyKindNeverTrap() throws {
    let paths = try ["/a", "/a/0", "/b/a", ""].map { (pointer) throws(JsonError) in try JsonPath(pointer) }
    let alphabet = Array(#"{}[]",:0-1ab\u"#.utf8) + [0xFF, 0x80, 0]
    for seed in 0..<UInt64(20_000) {
      var generator = SeededGenerator(seed: seed)
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let places = try? Json.places(of: paths, in: bytes)
      #expect((places != nil) == ((try? Json.validate(bytes)) != nil))
    }
  }
}
