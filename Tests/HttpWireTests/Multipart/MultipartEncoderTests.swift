import HttpWire
import Testing

@Suite("MultipartEncoder")
struct MultipartEncoderTests {
  typealias Part = MultipartEncoder.Part

  private func text(_ parts: [Part]) throws -> String {
    let form = try MultipartEncoder.encode(parts, boundary: "B")
    var bytes: [UInt8] = []
    for segment in form.segments {
      switch segment {
      case .bytes(let more): bytes += more
      case .file(let index, _): bytes += Array("<file \(index)>".utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("values, data and files, byte for byte")
  func bytes() throws {
    let parts = [
      Part(name: "a", content: .bytes(Array("1\r\n2".utf8))),
      Part(name: "f", filename: "a.txt", contentType: "text/plain", content: .file(index: 7, length: 5)),
      Part(name: "e", filename: "", content: .bytes([])),
    ]
    #expect(
      try text(parts) == """
        --B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n2\r
        --B\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n<file 7>\r
        --B\r\nContent-Disposition: form-data; name="e"; filename=""\r\n\r\n\r
        --B--\r\n
        """)
    #expect(try MultipartEncoder.encode(parts, boundary: "x-1_.'+Z").contentType == "multipart/form-data; boundary=x-1_.'+Z")
    #expect(try text([]) == "--B--\r\n")
  }

  struct Name: CustomTestStringConvertible {
    let text: String
    let sent: String
    init(_ text: String, _ sent: String? = nil) { (self.text, self.sent) = (text, sent ?? text) }
    var testDescription: String { text.debugDescription }
  }

  static let names = [
    Name(""), Name("a b"), Name("ü 中 🦀"), Name("a;b=c"), Name("'"), Name("a%22b"), Name("a\tb"), Name(#"back\slash"#), Name("%"),
    Name(#"a"b"#, "a%22b"), Name("\"\"", "%22%22"), Name("a\rb", "a%0Db"), Name("a\nb", "a%0Ab"),
    Name("\r\nX-Evil: 1\r\n\r\n--B--", "%0D%0AX-Evil: 1%0D%0A%0D%0A--B--"),
    Name("\u{0}", "%00"), Name("\u{1B}[2J", "%1B[2J"), Name("\u{0B}\u{0C}\u{1C}", "%0B%0C%1C"), Name("\u{7F}", "%7F"), Name("e\u{301}"),
    Name("\r", "%0D"), Name("\n\n", "%0A%0A"), Name("x\"; filename=\"y", "x%22; filename=%22y"),
  ]

  @Test("names and file names cannot break out of their header", arguments: names)
  func escaping(name: Name) throws {
    let sent = try text([Part(name: name.text, filename: name.text, content: .bytes([]))])
    #expect(sent == "--B\r\nContent-Disposition: form-data; name=\"\(name.sent)\"; filename=\"\(name.sent)\"\r\n\r\n\r\n--B--\r\n")
  }

  @Test(
    "a content type that holds controls, or is none, is refused, and its part named",
    arguments: [
      "text/plain\r\nX-Evil: 1", "text/plain\n", "text/plain\r", "\u{0}text/plain", "text/plain\u{0}", "text/plain;\ta=b",
      "text/plain\u{7F}",
      "", "text", "text/", "/plain", "text/\"plain", "te xt/plain", "\"text/plain\"",
    ])
  func contentType(type: String) throws {
    let parts = [Part(name: "first", content: .bytes([])), Part(name: "bad\r\none", contentType: type, content: .bytes([]))]
    let error = #expect(throws: WireError.self) { try MultipartEncoder.encode(parts, boundary: "B") }
    #expect(error?.kind == .invalid)
    #expect(error?.message == #"the content type of part 2, "bad\x0D\x0Aone", is not valid"#)
  }

  @Test(
    "content types that may stand", arguments: ["text/plain", "text/plain; charset=\"utf-8\"", "application/vnd.x+json;v=1", "a/b; t=ü"])
  func goodContentType(type: String) throws {
    #expect(try text([Part(name: "n", contentType: type, content: .bytes([]))]).contains("\r\nContent-Type: \(type)\r\n\r\n"))
  }

  @Test("the length is that of the bytes and the files, and not known if one file's is not")
  func length() throws {
    func encoded(_ parts: Part...) throws -> MultipartEncoder.Form { try MultipartEncoder.encode(parts, boundary: "B") }
    let value = Part(name: "a", content: .bytes(Array("1".utf8)))
    let plain = try encoded(value)
    #expect(plain.length == Int64(try text([value]).utf8.count))
    let huge = Part(name: "a", content: .file(index: 0, length: 1 << 40))
    let without = try encoded(Part(name: "a", content: .file(index: 0, length: 0)))
    #expect(try encoded(huge).length == (without.length ?? 0) + 1 << 40)
    #expect(try encoded(value, Part(name: "f", content: .file(index: 0, length: nil)), value).length == nil)
    #expect(throws: WireError.self) { try encoded(Part(name: "f", content: .file(index: 0, length: -1))) }
    #expect(throws: WireError.self) { try encoded(Part(name: "f", content: .file(index: 0, length: .max))) }
  }

  @Test("small contents are joined with what is around them, large ones are not copied")
  func segments() throws {
    let large = [UInt8](repeating: 1, count: 200_000)
    let form = try MultipartEncoder.encode(
      [
        Part(name: "a", content: .bytes([1])), Part(name: "b", content: .bytes(large)), Part(name: "c", content: .bytes([2])),
        Part(name: "d", content: .file(index: 0, length: 0)), Part(name: "e", content: .bytes([3])),
      ], boundary: "B")
    #expect(form.segments.count == 5)
    #expect(form.segments[1] == .bytes(large) && form.segments[3] == .file(index: 0, length: 0))
  }

  @Test(
    "a boundary that would have to be quoted, or is too long, is refused",
    arguments: ["", " ", "a b", "a\r\nb", "ü", "a\"b", "a:b", "a/b", String(repeating: "a", count: 71)])
  func boundary(text: String) {
    #expect(throws: WireError.self) { try MultipartEncoder.encode([], boundary: text) }
  }
}
