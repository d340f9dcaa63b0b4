/// One part of a `multipart/form-data` body (RFC 7578): a value, a file, or data that is sent as a file.
///
/// Names and file names may be any text: `"`, CR, LF and other controls go out escaped (`%22`, `%0D`, `%0A`), as browsers do.
public struct MultipartPart: Sendable, Hashable {
  enum Content: Sendable, Hashable {
    case bytes([UInt8])
    case file(path: String)
  }

  public var name: String
  /// nil: sent as a field, not as a file.
  public var filename: String?
  /// nil: by the file name's extension where there is a file name, from the system's `mime.types` or a small table behind it, and
  /// `application/octet-stream` where that is not known; none where there is no file name. One that is no media type, or holds a control
  /// character, is `invalid_request`.
  public var contentType: String?
  let content: Content

  private init(_ name: String, _ content: Content, _ filename: String?, _ contentType: String?) {
    self.name = name
    self.content = content
    self.filename = filename
    self.contentType = contentType
  }

  /// A field of text, in UTF-8. Line ends stay as they are.
  public static func value(_ name: String, _ value: String) -> MultipartPart {
    MultipartPart(name, .bytes(Array(value.utf8)), nil, nil)
  }

  /// A file, read while it is sent and never whole in memory. One that can't be read, or is no regular file, ends the request with
  /// `invalid_request`, which names it. `filename`: nil takes the last piece of the path.
  public static func file(_ name: String, _ path: String, filename: String? = nil, contentType: String? = nil) -> MultipartPart {
    MultipartPart(name, .file(path: path), filename ?? lastPiece(of: path), contentType)
  }

  /// Bytes, as a file if there is a `filename`.
  public static func data(_ name: String, _ bytes: [UInt8], filename: String? = nil, contentType: String? = nil) -> MultipartPart {
    MultipartPart(name, .bytes(bytes), filename, contentType)
  }

  private static func lastPiece(of path: String) -> String {
    path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
  }
}
