import HttpWire
import Testing

@Suite("JSON")
struct JsonTests {
  static let good = [
    "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e5", "1E+5", "1e-5", "0.5e1", "123456789012345678901234567890", "1e999999999",
    "\"\"",
    "\"abc\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u00e4\\u4F60\"", "\"\\ud83d\\ude00\"", "\"äöü 你 😀\"", "\"\u{7F}\"", "\"\\u0000\"",
    "\"/\"", "[]",
    "[ ]", "{}", "{ }", "[1,2 , 3]", "{\"a\":1}", " {\"a\" : [ { } , null ] , \"\" : \"\" }\n", "\t\r\n 1 \t\r\n", "[[[[]]]]",
    "\"0123456789abcdef\\n0123456789\"",
  ]

  static let bad = [
    "", " ", "nul", "nulls", "True", "NaN", "Infinity", "-Infinity", "undefined", "01", "-01", "00", "-", "+1", ".5", "1.", "1.e1", "1e",
    "1e+", "0x1",
    "1 2", "1,", "\"", "\"abc", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
    "\"\\ud800x\"",
    "\"\\ud83d\\ud83d\"", "\"a\nb\"", "\"a\tb\"", "\"\0\"", "'a'", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "{", "}",
    "{\"a\"",
    "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{1:2}", "{\"a\" 1}", "{\"a\",1}", "{\"a\":1 \"b\":2}", "{,}", "[}", "{]",
    "// x\n1", "1 // x",
    "/**/1", "\u{FEFF}1", "\u{A0}1", "1\0", "tru\u{65}\u{301}", "\"\\", "\"\\u", "0123456789abcdef", "[\"0123456789\u{1}\"]",
  ]

  @Test("JSON is accepted and means the same after writing and reading again", arguments: good)
  func accepted(text: String) throws {
    try Json.validate(Array(text.utf8))
    let value = try JsonValue.parse(Array(text.utf8))
    #expect(try JsonValue.parse(Array(value.description.utf8)) == value)
  }

  @Test("what is not JSON is refused by both, at the same place", arguments: bad)
  func refused(text: String) {
    let bytes = Array(text.utf8)
    let first = #expect(throws: JsonError.self) { try Json.validate(bytes) }
    let second = #expect(throws: JsonError.self) { try JsonValue.parse(bytes) }
    #expect(first == second && first != nil)
    #expect((first?.offset ?? -1) >= 0 && (first?.offset ?? 0) <= bytes.count)
  }

  @Test(
    "strings that are not UTF-8 are refused",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xE4, 0xBD], [0xE4, 0xBD, 0x22],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xFF], [0xFE],
    ] as [[UInt8]])
  func notUtf8(bytes: [UInt8]) {
    #expect(throws: JsonError.self) { try Json.validate([0x22] + bytes + [0x22]) }
    #expect(throws: JsonError.self) { try Json.validate([0x22] + bytes) }
  }

  @Test("numbers keep their text")
  func numbers() throws {
    let value = try JsonValue.parse(Array("[9007199254740993, 18446744073709551615, 1.10, -0, 1e999, 1E2]".utf8))
    #expect(value.description == "[9007199254740993,18446744073709551615,1.10,-0,1e999,1E2]")
    #expect(value[0]?.int == 9_007_199_254_740_993 && value[1]?.int == nil && value[2]?.int == nil && value[3]?.int == 0)
    #expect(value[2]?.double == 1.1 && value[4]?.double == .infinity && value[5]?.double == 100)
    if case .number(let number) = value[1] { #expect(number.uint == .max) }
    #expect(JsonNumber("1.5")?.double == 1.5 && JsonNumber("01") == nil && JsonNumber(" 1") == nil && JsonNumber("") == nil)
    #expect(JsonNumber(Double.nan) == nil && JsonNumber(Int64.min).text == "-9223372036854775808")
  }

  @Test("nesting is read to the limit and no deeper")
  func depth() throws {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      try Json.validate(nested(128, open, close))
      _ = try JsonValue.parse(nested(128, open, close))
      #expect(throws: JsonError.self) { try Json.validate(nested(129, open, close)) }
      #expect(throws: JsonError.self) { try JsonValue.parse(nested(100_000, open, "")) }
      #expect(throws: JsonError.self) { try Json.range(of: "", in: nested(100_000, open, "")) }
    }
  }

  @Test("a key that comes twice is refused, among few and among many, escaped or not")
  func duplicates() throws {
    #expect(throws: JsonError.self) { try JsonValue.parse(Array("{\"a\":1,\"\\u0061\":2}".utf8)) }
    let many = (0..<100).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try JsonValue.parse(Array("{\(many)}".utf8)).object?.count == 100)
    let error = #expect(throws: JsonError.self) { try JsonValue.parse(Array("{\(many),\"k0\":1}".utf8)) }
    #expect(error?.message.contains("k0") == true)
    #expect(try JsonValue.parse(Array("{\"a\":1,\"a\":2}".utf8), allowsDuplicateKeys: true)["a"] == 2)
    #expect(try JsonValue.parse(Array("{\"e\u{301}\":1,\"\u{E9}\":2}".utf8))["\u{E9}"] == 2)
  }

  @Test("an error says line, column and offset")
  func position() {
    let error = #expect(throws: JsonError.self) { try JsonValue.parse(Array("{\n  \"ä\": tru\n}".utf8)) }
    #expect(error?.line == 2 && error?.column == 8 && error?.offset == 10)
    #expect(error?.description.contains("line 2, column 8") == true)
  }

  @Test("text is quoted so that it reads back the same and stays on one line")
  func quoting() throws {
    for text in [
      "", "a", "\"\\/\u{8}\u{C}\n\r\t\0\u{1F}\u{7F}", "ä你😀 and more than eight \" bytes\n", "\u{2028}", "0123456\"", "01234567\"",
    ] {
      var bytes: [UInt8] = []
      Json.appendQuoted(text, to: &bytes)
      #expect(!bytes.contains { $0 < 0x20 })
      #expect(try JsonValue.parse(bytes).string?.utf8.elementsEqual(text.utf8) == true)
    }
    var bytes: [UInt8] = []
    Json.appendQuoted(repairing: [0x61, 0xFF], to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "\"a\u{FFFD}\"")
  }

  @Test("the writer sets the commas")
  func writer() {
    var writer = JsonWriter()
    writer.beginObject()
    writer.member("a", "x\"")
    writer.member("n", Int64.min)
    writer.key("list")
    writer.beginArray()
    writer.integer(UInt64.max)
    writer.double(0.5)
    writer.double(.infinity)
    writer.beginObject()
    writer.endObject()
    writer.raw("[1]".utf8)
    writer.value(["k": nil])
    writer.endArray()
    writer.member("b", true)
    writer.key("z\n")
    writer.null()
    writer.endObject()
    writer.newline()
    writer.beginArray()
    writer.endArray()
    let expected =
      "{\"a\":\"x\\\"\",\"n\":-9223372036854775808,\"list\":[18446744073709551615,0.5,null,{},[1],{\"k\":null}],\"b\":true,\"z\\n\":null}\n[]"
    #expect(String(decoding: writer.takeBytes(), as: UTF8.self) == expected && writer.bytes.isEmpty)
  }

  @Test("an object keeps its order and changes in place")
  func object() {
    var object = JsonObject()
    object["b"] = 1
    object["a"] = 2
    object["b"] = 3
    #expect(JsonValue.object(object).description == "{\"b\":3,\"a\":2}")
    object["b"] = .some(.null)
    #expect(object["b"] == .null && object.count == 2)
    object["b"] = nil
    #expect(object.count == 1)
  }
}
