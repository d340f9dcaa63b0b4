internal import Errand
internal import Glibc
internal import HttpWire

/// A part of a multipart form as curl writes it: `NAME=VALUE`, `NAME=@FILE` (sent as a file), `NAME=<FILE` (its content as the value), each
/// with `;type=TYPE` and `;filename=NAME` behind it.
struct FormArgument: Sendable {
  enum Content: Sendable {
    case text(String)
    case file(String)
  }

  var name: String
  var content: Content
  var filename: String?
  var contentType: String?

  init(_ text: String) throws(Failure) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw .usage("--form: \"\(text)\" is not of the form NAME=VALUE or NAME=@FILE")
    }
    name = String(text[..<equals])
    let rest = text[text.index(after: equals)...]
    let mark = rest.first.flatMap { $0 == "@" || $0 == "<" ? $0 : nil }
    var scanner = FormScanner(mark == nil ? rest : rest.dropFirst())
    let value = scanner.word()
    try scanner.readParameters(text)
    (filename, contentType) = (scanner.filename, scanner.contentType)
    switch mark {
    case "@": content = .file(value)
    case "<":
      var bytes: [UInt8] = []
      try File.read(value, option: "form") { bytes += $0 }
      content = .text(String(decoding: bytes, as: UTF8.self))
    default: content = .text(value)
    }
  }

  /// A part of just this value, whatever it begins with.
  init(plain text: String) throws(Failure) {
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw .usage("--form-string: \"\(text)\" is not of the form NAME=VALUE")
    }
    name = String(text[..<equals])
    content = .text(String(text[text.index(after: equals)...]))
  }

  /// For the library in this process, which reads a file while it sends it.
  func part() throws(Failure) -> MultipartPart {
    switch content {
    case .file("-"):
      var bytes: [UInt8] = []
      try File.read("-", option: "form") { bytes += $0 }
      return .data(name, bytes, filename: filename ?? "-", contentType: contentType)
    case .file(let path):
      guard access(path, R_OK) == 0 else { throw .usage("--form: \(path): \(String(cString: strerror(errno)))") }
      return .file(name, path, filename: filename, contentType: contentType)
    case .text(let text):
      var part = MultipartPart.value(name, text)
      (part.filename, part.contentType) = (filename, contentType)
      return part
    }
  }

  var isFile: Bool { if case .file = content { true } else { false } }

  /// As the daemon's API takes it, with the content of a file.
  func json() throws(Failure) -> JsonValue {
    var object = JsonObject()
    object["name"] = .string(name)
    var filename = filename
    switch content {
    case .text(let text): object["value"] = .string(text)
    case .file(let path):
      var bytes: [UInt8] = []
      try File.read(path, option: "form") { bytes += $0 }
      object["data_base64"] = .string(Base64.encode(bytes))
      filename = filename ?? path.split(separator: "/").last.map(String.init) ?? path
    }
    if let filename { object["filename"] = .string(filename) }
    if let contentType { object["content_type"] = .string(contentType) }
    return .object(object)
  }
}

/// What stands behind `NAME=` of a form's part, as curl reads it: words that end at a semicolon or stand in double quotes.
private struct FormScanner {
  private var rest: Substring
  private(set) var filename: String?
  private(set) var contentType: String?

  init(_ rest: Substring) {
    self.rest = rest
  }

  /// Up to the next semicolon; one in quotes has `\"` and `\\` for these.
  mutating func word() -> String {
    if rest.first == "\"", let quoted = quotedWord() { return quoted }
    let word = rest.prefix { $0 != ";" }
    rest = rest[word.endIndex...]
    return String(word)
  }

  /// nil if the quote is not closed, or not at the end of the word.
  private mutating func quotedWord() -> String? {
    var word = ""
    var index = rest.index(after: rest.startIndex)
    while index < rest.endIndex, rest[index] != "\"" {
      let next = rest.index(after: index)
      if rest[index] == "\\", next < rest.endIndex, rest[next] == "\\" || rest[next] == "\"" { index = next }
      word.append(rest[index])
      index = rest.index(after: index)
    }
    guard index < rest.endIndex else { return nil }
    let behind = rest[rest.index(after: index)...]
    guard behind.isEmpty || behind.first == ";" else { return nil }
    rest = behind
    return word
  }

  /// `;type=TYPE`, with parameters of the type behind it, and `;filename=NAME`.
  mutating func readParameters(_ text: String) throws(Failure) {
    while rest.first == ";" {
      rest = rest.dropFirst().drop { $0 == " " }
      if rest.hasPrefix("type=") {
        rest = rest.dropFirst("type=".count)
        contentType = word()
      } else if rest.hasPrefix("filename=") {
        rest = rest.dropFirst("filename=".count)
        filename = word()
      } else if let type = contentType {
        contentType = type + ";" + word()
      } else {
        throw .usage("--form: \"\(text)\": behind a ; there is type= or filename=; a value with a ; in it stands in double quotes")
      }
    }
  }
}

/// A field of a form body as curl's `--data-urlencode` writes it: `NAME=VALUE`, `=VALUE`, `VALUE`, `NAME@FILE` or `@FILE`.
enum UrlencodeArgument {
  static func read(_ text: String) throws(Failure) -> [UInt8] {
    let option = "data-urlencode"
    if let mark = text.firstIndex(where: { $0 == "=" || $0 == "@" }) {
      let name = String(text[..<mark])
      let rest = String(text[text.index(after: mark)...])
      let content = text[mark] == "@" ? try DataArgument.read("@" + rest, option: option, keepsLineEnds: true) : Array(rest.utf8)
      let value = encode(String(decoding: content, as: UTF8.self))
      return Array((name.isEmpty ? value : name + "=" + value).utf8)
    }
    return Array(encode(text).utf8)
  }

  /// As in a form: a space is a plus.
  private static func encode(_ text: String) -> String { FormEncoding.percentEncode(text).replacing("%20", with: "+") }
}
