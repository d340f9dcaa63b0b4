import HttpWire
import Testing

@Suite("JSON pointers")
struct JsonPointerTests {
  static let document =
    " {\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"m~n\": 8, \"k\\\"l\": 6, \"\\u00e4\": {\"x\": [[1, 2], {\"y\" : null }]}} "

  @Test(
    "a pointer names the same value in bytes and in a parsed value",
    arguments: [
      ("", String(document.dropFirst().dropLast())), ("/foo", "[\"bar\", \"baz\"]"), ("/foo/0", "\"bar\""), ("/foo/1", "\"baz\""),
      ("/", "0"),
      ("/a~1b", "1"), ("/m~0n", "8"), ("/k\"l", "6"), ("/ä/x/0/1", "2"), ("/ä/x/1/y", "null"), ("/ä/x/1", "{\"y\" : null }"),
    ])
  func found(pointer: String, text: String) throws {
    let bytes = Array(Self.document.utf8)
    let range = try #require(try Json.range(of: pointer, in: bytes))
    #expect(String(decoding: bytes[range], as: UTF8.self) == text)
    #expect(try JsonValue.parse(bytes).at(pointer: pointer) == JsonValue.parse(Array(text.utf8)))
  }

  @Test(
    "a pointer to nothing is nil",
    arguments: [
      "/foo/2", "/foo/-", "/foo/01", "/foo/x", "/foo/99999999999999999999", "/absent", "/foo/0/x", "//", "/ä/x/0/2", "/ä/x/1/y/z",
    ])
  func absent(pointer: String) throws {
    let bytes = Array(Self.document.utf8)
    #expect(try Json.range(of: pointer, in: bytes) == nil)
    #expect(try JsonValue.parse(bytes).at(pointer: pointer) == nil)
  }

  @Test("a pointer that is not valid is refused", arguments: ["foo", "/~", "/~2", "/a~"])
  func invalid(pointer: String) {
    #expect(throws: JsonError.self) { try Json.range(of: pointer, in: Array("{}".utf8)) }
    #expect(JsonValue.null.at(pointer: pointer) == nil)
  }
}
