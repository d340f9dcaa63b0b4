import HttpWire
import Testing

@Suite("FormEncoding")
struct FormEncodingTests {
  @Test("pairs are encoded as WHATWG URL says")
  func encode() {
    #expect(FormEncoding.encode([("a", "1"), ("b c", "d&e=f"), ("ü", "~*-._+%"), ("", "")]) == "a=1&b+c=d%26e%3Df&%C3%BC=%7E*-._%2B%25&=")
    #expect(FormEncoding.encode([]) == "")
    #expect(FormEncoding.percentEncode("a b/ü~") == "a%20b%2F%C3%BC~")
  }

  @Test("what was encoded is decoded to the same pairs")
  func roundTrip() throws {
    let pairs = [("a", "1"), ("a", "2"), ("ü & ö", "\r\n\0=?"), ("", "x"), ("x", "")]
    let decoded = try FormEncoding.decode(FormEncoding.encode(pairs))
    #expect(decoded.map(\.0) == pairs.map(\.0) && decoded.map(\.1) == pairs.map(\.1))
  }

  @Test("pieces without '=' have an empty value, empty pieces are skipped")
  func decode() throws {
    let decoded = try FormEncoding.decode("&a&&b=c=d&+%41=%e4%bd%a0")
    #expect(decoded.map(\.0) == ["a", "b", " A"] && decoded.map(\.1) == ["", "c=d", "你"])
  }

  @Test(
    "a '%' without two hexadecimal digits and bytes that are not UTF-8 are refused",
    arguments: ["%", "a%4", "%zz", "%+1", "%ff", "%ed%a0%80"])
  func refused(text: String) {
    #expect(throws: WireError.self) { try FormEncoding.decode(text) }
    #expect(throws: WireError.self) { try FormEncoding.percentDecode(text) }
  }

  @Test("a plus is a space only in forms")
  func plus() throws {
    #expect(try FormEncoding.percentDecode("a+b%2B") == "a+b+")
    #expect(try FormEncoding.percentDecode("a+b%2B", plusIsSpace: true) == "a b+")
  }
}
