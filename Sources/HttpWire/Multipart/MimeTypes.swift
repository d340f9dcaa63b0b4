/// Which media type a file's name speaks of: by a `mime.types` table, then by a small one of our own.
public struct MimeTypes: Sendable {
  /// What is not known.
  public static let unknown = "application/octet-stream"
  /// The small table alone.
  public static let builtIn = MimeTypes()

  /// By extension, in lower case.
  private var types: [String: String] = [:]

  private init() {}

  /// Reads a `mime.types` file: a line has a type and the extensions that mean it; `#` begins a comment. Lines that are not so are skipped.
  /// Where an extension stands twice, the first holds.
  public init(parsing text: [UInt8]) {
    for line in text.split(whereSeparator: { $0 == Ascii.lf || $0 == Ascii.cr }) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split(whereSeparator: Ascii.isBlank)
      guard words.count > 1, let type = words.first.map({ String(decoding: $0, as: UTF8.self) }) else { continue }
      guard MediaType(type) != nil, type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != Ascii.semicolon }) else { continue }
      for word in words.dropFirst() {
        let ending = String(decoding: word, as: UTF8.self).lowercased()
        if types[ending] == nil { types[ending] = type }
      }
    }
  }

  /// The type for an extension without its dot, in any case; nil if it is not known.
  public func type(forExtension name: String) -> String? {
    if let type = types[name.lowercased()] { return type }
    let type = MediaType.forExtension(name).prefix { $0 != ";" }
    return type == MimeTypes.unknown ? nil : String(type)
  }

  /// The type for a file's name or path; nil if it has no extension or one that is not known. `.profile` has none.
  public func type(forFile name: String) -> String? {
    let file = name.utf8.split(separator: Ascii.slash).last ?? name.utf8[...]
    guard let dot = file.lastIndex(of: Ascii.dot), dot != file.startIndex else { return nil }
    return type(forExtension: String(Substring(file[file.index(after: dot)...])))
  }
}
