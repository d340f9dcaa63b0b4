extension MediaType {
  /// The value for Content-Type of a file with this extension, in any case and without its dot; `application/octet-stream` for one
  /// that is not known.
  public static func forExtension(_ name: String) -> String {
    switch name.lowercased() {
    case "html", "htm": "text/html; charset=utf-8"
    case "txt", "log", "text": "text/plain; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "csv": "text/csv; charset=utf-8"
    case "md": "text/markdown; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "ndjson": "application/x-ndjson"
    case "xml": "application/xml"
    case "yaml", "yml": "application/yaml"
    case "pdf": "application/pdf"
    case "wasm": "application/wasm"
    case "zip": "application/zip"
    case "gz": "application/gzip"
    case "tar": "application/x-tar"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "avif": "image/avif"
    case "svg": "image/svg+xml"
    case "ico": "image/vnd.microsoft.icon"
    case "mp3": "audio/mpeg"
    case "ogg": "audio/ogg"
    case "wav": "audio/wav"
    case "mp4": "video/mp4"
    case "webm": "video/webm"
    case "woff": "font/woff"
    case "woff2": "font/woff2"
    case "ttf": "font/ttf"
    default: "application/octet-stream"
    }
  }
}
