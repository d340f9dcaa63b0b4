import HttpWire
import Testing

@Suite("MimeTypes")
struct MimeTypesTests {
  private static let table = MimeTypes(
    parsing: Array(
      """
      # a comment
      application/x-one\t\tone ONE2   # another comment
      application/x-none
      text/plain      txt one # the first holds

      not-a-type      bad
      a/b/c           bad
      text/;x         bad
      text/html;a=b   bad
      application/x-crlf crlf\r
      image/x-md\tmd
      \u{FEFF}
      application/x-last last
      """.utf8))

  struct Row: CustomTestStringConvertible {
    let file: String
    let type: String?
    init(_ file: String, _ type: String?) { (self.file, self.type) = (file, type) }
    var testDescription: String { file.debugDescription }
  }

  static let rows = [
    Row("a.one", "application/x-one"), Row("a.ONE", "application/x-one"), Row("a.one2", "application/x-one"),
    Row("/x.y/a.txt", "text/plain"),
    Row("a.bad", nil), Row("a.#", nil), Row("a.crlf", "application/x-crlf"), Row("a.last", "application/x-last"), Row("a.md", "image/x-md"),
    Row("a.json", "application/json"), Row("a.html", "text/html"), Row("a.tar.gz", "application/gzip"), Row("a.JPG", "image/jpeg"),
    Row("noextension", nil), Row("", nil), Row("/", nil), Row(".one", nil), Row("/home/.one", nil), Row("a.", nil),
    Row("..one", "application/x-one"),
    Row("dir.one/file", nil), Row("a.b\u{0}", nil), Row("a.ü", nil), Row("a.one/", "application/x-one"),
  ]

  @Test("a file's type comes from the table, then from the small one behind it", arguments: rows)
  func type(row: Row) {
    #expect(Self.table.type(forFile: row.file) == row.type)
  }

  @Test("without a table there is the small one")
  func builtIn() {
    #expect(MimeTypes.builtIn.type(forFile: "a.png") == "image/png")
    #expect(MimeTypes.builtIn.type(forFile: "a.one") == nil)
    #expect(MimeTypes.builtIn.type(forExtension: "TXT") == "text/plain")
  }

  @Test("bytes that are no text harm nothing")
  func garbage() {
    let table = MimeTypes(parsing: (0...255).flatMap { [UInt8($0), 0x20, 0x61, UInt8($0), 0x0A] })
    #expect(table.type(forExtension: "a") == nil)
  }
}
