/// Paths as cookies compare them (RFC 6265bis 5.1.4), byte for byte.
enum CookiePath {
  /// The path of a URL's target.
  static func path(of target: String) -> String {
    target.utf8.firstIndex(of: 0x3F).map { String(target[..<$0]) } ?? target
  }

  /// The path of a cookie that names none: that of the request up to its last slash.
  static func byDefault(for path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: Ascii.slash), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Whether a cookie for `cookiePath` goes with a request for `path`.
  static func matches(_ path: String, _ cookiePath: String) -> Bool {
    path.withBytes { path in
      cookiePath.withBytes { cookiePath in
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == Ascii.slash || path[cookiePath.count] == Ascii.slash
      }
    }
  }
}
