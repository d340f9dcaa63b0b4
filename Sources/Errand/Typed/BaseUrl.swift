internal import HttpWire

/// Joins a service's base URL and a path.
enum BaseUrl {
  /// `path` below `base`, with one slash between them; a query may be on `path` alone. Throws `invalid_request`, also where `path` would lead out of
  /// the base's own path: what stands before it is the service's to say.
  static func join(_ base: String, _ path: String) throws(HttpClientError) -> String {
    if let fault = fault(base) { throw .invalid("url", "the base URL \(fault)") }
    try check(path)
    if path.isEmpty { return base }
    let trunk = base.hasSuffix("/") ? base.dropLast() : base[...]
    switch path.utf8.first {
    case UInt8(ascii: "?"), UInt8(ascii: "#"): return base + path
    case UInt8(ascii: "/"): return trunk + path
    default: return trunk + "/" + path
    }
  }

  /// What is wrong with a base URL; nil if it can be used.
  static func fault(_ base: String) -> String? {
    do throws(WireError) {
      _ = try HttpUrl(base)
    } catch {
      return "\(shown(base)) can't be used: \(error.message)"
    }
    guard !base.utf8.contains(UInt8(ascii: "?")), !base.utf8.contains(UInt8(ascii: "#")) else {
      return "\(shown(base)) can't be used: it has a query or a fragment"
    }
    return nil
  }

  private static func shown(_ base: String) -> String { PeerText.line(RequestInfo.withoutUserInfo(base), limit: 100) }

  /// `url` with further pairs in its query.
  static func adding(_ params: [HttpParam], to url: String) -> String {
    guard !params.isEmpty else { return url }
    let whole = url.prefix { $0 != "#" }
    let pairs = params.map { FormEncoding.percentEncode($0.name) + "=" + FormEncoding.percentEncode($0.value) }.joined(separator: "&")
    guard let mark = whole.utf8.firstIndex(of: UInt8(ascii: "?")) else { return whole + "?" + pairs }
    let isOpen = whole.utf8.index(after: mark) == whole.endIndex || whole.hasSuffix("&")
    return whole + (isOpen ? "" : "&") + pairs
  }

  private static func check(_ path: String) throws(HttpClientError) {
    for segment in path.prefix(while: { $0 != "?" && $0 != "#" }).split(separator: "/") {
      var plain = ""
      var rest = segment.lowercased()[...]
      while let scalar = rest.first {
        if rest.hasPrefix("%2e") {
          plain.append(".")
          rest = rest.dropFirst(3)
        } else {
          plain.append(scalar)
          rest = rest.dropFirst()
        }
        if plain.count > 2 { break }
      }
      guard plain != ".", plain != ".." else {
        throw .invalid("path", "the path has a segment \(segment), which would lead out of the base URL")
      }
    }
  }
}
