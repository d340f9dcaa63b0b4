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
    let (value, filename, contentType) = FormArgument.parts(text[text.index(after: equals)...])
    (self.filename, self.contentType) = (filename, contentType)
    if value.hasPrefix("@") {
      content = .file(String(value.dropFirst()))
    } else if value.hasPrefix("<") {
      var bytes: [UInt8] = []
      try File.read(String(value.dropFirst()), option: "form") { bytes += $0 }
      content = .text(String(decoding: bytes, as: UTF8.self))
    } else {
      content = .text(value)
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

  /// What stands before `;type=` and `;filename=`, and their values.
  private static func parts(_ text: Substring) -> (value: String, filename: String?, contentType: String?) {
    var (value, filename, contentType): (String, String?, String?) = (String(text), nil, nil)
    while let mark = value.lastIndex(of: ";") {
      let tail = value[value.index(after: mark)...]
      if tail.hasPrefix("type=") {
        contentType = String(tail.dropFirst("type=".count))
      } else if tail.hasPrefix("filename=") {
        let name = tail.dropFirst("filename=".count)
        filename = name.count > 1 && name.first == "\"" && name.last == "\"" ? String(name.dropFirst().dropLast()) : String(name)
      } else {
        break
      }
      value = String(value[..<mark])
    }
    return (value, filename, contentType)
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

  /// As the daemon's API takes a value.
  var json: JsonValue {
    var object = JsonObject()
    object["name"] = .string(name)
    if case .text(let text) = content { object["value"] = .string(text) }
    if let filename { object["filename"] = .string(filename) }
    if let contentType { object["content_type"] = .string(contentType) }
    return .object(object)
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
