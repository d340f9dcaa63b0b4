internal import Errand
internal import HttpWire

/// Reads the one body that a request may have.
enum BodyReader {
  static let fields = ["json", "form", "body", "body_base64", "body_file", "multipart"]
  private static let partFields = ["name", "value", "file", "data_base64", "filename", "content_type"]
  static let parts = 1_000

  /// `files`: gets the paths that the body names.
  static func read(_ member: JsonObject.Member, fieldLimit: Int, files: inout [SubmittedFile]) throws(Problem) -> HttpBody {
    switch member.key {
    case "json":
      var bytes: [UInt8] = []
      member.value.write(to: &bytes)
      return .json(bytes)
    case "form":
      return .form(try FieldReader.params(member.value, "/form", limit: fieldLimit))
    case "body":
      return .text(try FieldReader.text(member.value, "/body"))
    case "body_file":
      let path = try FieldReader.text(member.value, "/body_file")
      files.append(SubmittedFile(path, "/body_file"))
      return .file(path)
    case "multipart":
      return .multipart(try multipart(member.value, files: &files))
    default:
      return .bytes(try base64(member.value, "/body_base64"))
    }
  }

  private static func multipart(_ value: JsonValue, files: inout [SubmittedFile]) throws(Problem) -> [MultipartPart] {
    guard case .array(let elements) = value else { throw .wrongType("/multipart", expected: "an array of parts", found: value) }
    if elements.count > parts { throw .tooLarge("/multipart", elements.count, limit: "parts", parts, unit: "parts", field: "/multipart") }
    var read: [MultipartPart] = []
    for (index, element) in elements.enumerated() { read.append(try part(element, "/multipart/\(index)", &files)) }
    return read
  }

  private static func part(_ value: JsonValue, _ place: String, _ files: inout [SubmittedFile]) throws(Problem) -> MultipartPart {
    var texts: [String: String] = [:]
    var data: [UInt8]?
    for member in try FieldReader.object(value, place, of: partFields) {
      let field = place + "/" + Problem.pointerToken(member.key)
      switch member.key {
      case "data_base64": data = try base64(member.value, field)
      case "name", "value", "file", "filename", "content_type": texts[member.key] = try FieldReader.text(member.value, field)
      default: throw .unknownField(member.key, at: place, among: partFields)
      }
    }
    guard let name = texts["name"] else { throw .missing(place + "/name") }
    switch (texts["value"], texts["file"], data) {
    case (let text?, nil, nil):
      var part = MultipartPart.value(name, text)
      part.filename = texts["filename"]
      part.contentType = texts["content_type"]
      return part
    case (nil, let path?, nil):
      files.append(SubmittedFile(path, place + "/file"))
      return .file(name, path, filename: texts["filename"], contentType: texts["content_type"])
    case (nil, nil, let bytes?):
      return .data(name, bytes, filename: texts["filename"], contentType: texts["content_type"])
    default:
      throw .invalidValue(place, "must have one of value, file and data_base64")
    }
  }

  static func base64(_ value: JsonValue, _ field: String) throws(Problem) -> [UInt8] {
    guard let bytes = Base64.decode(try FieldReader.text(value, field)) else {
      throw .invalidValue(field, "is not base64 (RFC 4648 section 4, with padding)")
    }
    return bytes
  }
}

/// A file that a request names, and where it names it.
struct SubmittedFile: Sendable {
  let path: String
  let field: String

  init(_ path: String, _ field: String) {
    self.path = path
    self.field = field
  }
}
