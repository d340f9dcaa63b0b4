import HttpWire
import TestSupport
import Testing

/// What parsers that are not ours read out of a form: Python's `cgi` and `email`.
@Suite("Multipart and Python")
struct RealParserTests {
  struct Part: Equatable, CustomTestStringConvertible {
    var name: String
    var filename: String?
    var type: String?
    var bytes: [UInt8] = Array("x".utf8)
    /// As it is read: what is escaped stays so.
    var readAs: String?
    var testDescription: String { name.debugDescription }
  }

  static let parts: [Part] =
    [
      Part(name: "plain"), Part(name: "ü 中文 🦀 e\u{301}"), Part(name: "a;b=c; name=x"), Part(name: "it's"), Part(name: "a%22b"),
      Part(name: "a\tb"),
      Part(name: #"back\slash"#), Part(name: "%%"), Part(name: "a=b"), Part(name: "a,b"), Part(name: "<a&b>"), Part(name: "  two blanks  "),
      Part(name: String(repeating: "long ", count: 200) + "."), Part(name: "=?utf-8?q?a?="), Part(name: "\u{85}\u{2028}\u{A0}x"),
      Part(name: #"q"q"#, readAs: "q%22q"), Part(name: "\"", readAs: "%22"), Part(name: "a\rb", readAs: "a%0Db"),
      Part(name: "a\nb", readAs: "a%0Ab"), Part(name: "a\r\n\r\nb: c", readAs: "a%0D%0A%0D%0Ab: c"),
      Part(name: "x\"; filename=\"y", readAs: "x%22; filename=%22y"),
      Part(name: "\u{0}\u{1}\u{0B}\u{0C}\u{1C}\u{1D}\u{1E}", readAs: "%00%01%0B%0C%1C%1D%1E"),
    ]
    + [
      "a.txt", "ü.txt", "a b.txt", "../../etc/passwd", "C:\\x\\y", "a;b.txt", ".hidden", "no extension", String(repeating: "f", count: 250),
    ].map { Part(name: "file", filename: $0, type: "application/octet-stream") }
    + [
      ("a\"b.txt", "a%22b.txt"), ("a\r\nb.txt", "a%0D%0Ab.txt"), ("\n", "%0A"), ("\u{0B}", "%0B"),
    ].map { Part(name: "file", filename: $0.0, type: "text/plain", readAs: $0.1) }
    + ["text/plain", "text/html; charset=utf-8", "application/vnd.x+json", "image/svg+xml", "multipart-ish/x"].map {
      Part(name: "typed", filename: "f", type: $0)
    }
    + [
      [], [0], [0x0D, 0x0A], [0x0D], [0x0A], Array("\r\n--".utf8), Array("--".utf8), Array("--B--\r\n".utf8), Array("\r\n--B\r\n".utf8),
      Array(0...255),
      [UInt8](repeating: 0xFF, count: 100_000), Array("a\r\n\r\n".utf8), Array("\r\n\r\n\r\n".utf8),
    ].map { Part(name: "bytes", filename: "b", type: "application/octet-stream", bytes: $0) }

  /// Prints a line for each part: name, file name, type and bytes, in hex; `-` for none.
  private static let script = """
    import sys, warnings
    warnings.simplefilter("ignore")
    parser, content_type, path = sys.argv[1:]
    data = open(path, "rb").read()
    def hex_(text): return "-" if text is None else "." + (text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")).hex()
    if parser == "cgi":
        import cgi
        form = cgi.FieldStorage(fp=open(path, "rb"), headers={"content-type": content_type, "content-length": str(len(data))},
            environ={"REQUEST_METHOD": "POST"}, keep_blank_values=True, encoding="utf-8", errors="surrogateescape")
        for part in form.list:
            value = part.value if isinstance(part.value, bytes) else part.value.encode("utf-8", "surrogateescape")
            print(hex_(part.name), hex_(part.filename), hex_(part.headers.get("content-type")), hex_(value))
    else:
        import email
        message = email.message_from_bytes(b"Content-Type: " + content_type.encode() + b"\\r\\n\\r\\n" + data)
        for part in message.get_payload():
            raw = next(value for name, value in part.raw_items() if name == "Content-Disposition")
            disposition = email.message.Message()
            disposition["Content-Disposition"] = raw.encode("ascii", "surrogateescape").decode("utf-8")
            def parameter(name): return disposition.get_param(name, header="content-disposition")
            print(hex_(parameter("name")), hex_(parameter("filename")), hex_(part["content-type"]), hex_(part.get_payload(decode=True)))
    """

  @Test("Python gets back names, file names, types and bytes", arguments: ["cgi", "email"])
  func python(parser: String) async throws {
    let form = try MultipartEncoder.encode(
      Self.parts.map { MultipartEncoder.Part(name: $0.name, filename: $0.filename, contentType: $0.type, content: .bytes($0.bytes)) },
      boundary: "errand-boundary-4711")
    let directory = try TemporaryDirectory()
    var body: [UInt8] = []
    for case .bytes(let bytes) in form.segments { body += bytes }
    #expect(form.length == Int64(body.count))
    let result = try await Command.run(
      "python3", try directory.write("parse.py", Array(Self.script.utf8)), parser, form.contentType, try directory.write("body", body))
    try #require(result.status == 0, "\(result.text)")
    let lines = result.text.split(separator: "\n")
    try #require(lines.count == Self.parts.count)
    for (line, part) in zip(lines, Self.parts) {
      let fields = line.split(separator: " ").map(Self.bytes)
      let (name, filename) = part.filename == nil ? (part.readAs ?? part.name, nil) : (part.name, part.readAs ?? part.filename)
      #expect(fields[0].map { String(decoding: $0, as: UTF8.self) } == name)
      #expect(fields[1].map { String(decoding: $0, as: UTF8.self) } == filename)
      #expect(fields[2].map { String(decoding: $0, as: UTF8.self) } == part.type)
      #expect(fields[3] == part.bytes, "\(part.name)")
    }
  }

  private static func bytes(_ field: Substring) -> [UInt8]? {
    guard field != "-" else { return nil }
    let digits = Array(field.utf8.dropFirst())
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
    }
  }
}
