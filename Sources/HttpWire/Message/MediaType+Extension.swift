extension MediaType {
  /// The value for Content-Type of a file with this extension, in any case and without its dot; `application/octet-stream` for one
  /// that is not known.
  public static func forExtension(_ name: String) -> String {
    types[name.lowercased()] ?? "application/octet-stream"
  }

  /// The extension of files of this type, without its dot; nil if none is known.
  public var preferredExtension: String? {
    if let known = MediaType.extensions[description] { return known }
    if subtype.hasSuffix("+json") { return "json" }
    if subtype.hasSuffix("+xml") { return "xml" }
    if subtype.hasSuffix("+zip") { return "zip" }
    return nil
  }

  private static let types = Dictionary(
    table.flatMap { row in row.extensions.split(separator: " ").map { (String($0), row.value) } }, uniquingKeysWith: { first, _ in first })

  private static let extensions = Dictionary(
    (table + aliases).map { row in
      (String(row.value.prefix { $0 != ";" }), row.extensions.split(separator: " ").first.map(String.init) ?? "")
    }, uniquingKeysWith: { first, _ in first })

  private static let table: [(extensions: String, value: String)] = [
    ("html htm", "text/html; charset=utf-8"),
    ("txt log text", "text/plain; charset=utf-8"),
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("md", "text/markdown; charset=utf-8"),
    ("js mjs", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("ndjson", "application/x-ndjson"),
    ("xml", "application/xml"),
    ("yaml yml", "application/yaml"),
    ("pdf", "application/pdf"),
    ("wasm", "application/wasm"),
    ("zip", "application/zip"),
    ("gz", "application/gzip"),
    ("zst", "application/zstd"),
    ("tar", "application/x-tar"),
    ("bz2", "application/x-bzip2"),
    ("xz", "application/x-xz"),
    ("7z", "application/x-7z-compressed"),
    ("epub", "application/epub+zip"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("png", "image/png"),
    ("jpg jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("svg", "image/svg+xml"),
    ("tiff tif", "image/tiff"),
    ("bmp", "image/bmp"),
    ("ico", "image/vnd.microsoft.icon"),
    ("mp3", "audio/mpeg"),
    ("ogg", "audio/ogg"),
    ("wav", "audio/wav"),
    ("flac", "audio/flac"),
    ("mp4", "video/mp4"),
    ("webm", "video/webm"),
    ("mov", "video/quicktime"),
    ("woff", "font/woff"),
    ("woff2", "font/woff2"),
    ("ttf", "font/ttf"),
  ]

  /// Other names of the same.
  private static let aliases: [(extensions: String, value: String)] = [
    ("xml", "text/xml"),
    ("html", "application/xhtml+xml"),
    ("json", "text/json"),
    ("yaml", "text/yaml"),
    ("yaml", "application/x-yaml"),
    ("js", "application/javascript"),
    ("gz", "application/x-gzip"),
    ("zip", "application/x-zip-compressed"),
    ("ico", "image/x-icon"),
    ("wav", "audio/x-wav"),
  ]
}
