internal import HttpWire

/// A path with places that stand for any one segment: `/v1/delegates/{name}/events`.
struct PathPattern: Sendable, Equatable, ExpressibleByStringLiteral, CustomStringConvertible {
  let description: String
  private let segments: [Substring]
  private let isFixed: Bool

  init(stringLiteral text: String) {
    description = text
    segments = text.split(separator: "/")
    isFixed = !text.contains("{")
  }

  func matches(_ path: String) -> Bool {
    if isFixed { return path == description }
    let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard pieces.count == segments.count + 1, pieces[0].isEmpty else { return false }
    for (piece, segment) in zip(pieces.dropFirst(), segments) {
      if segment.first == "{" ? piece.isEmpty : !piece.elementsEqual(segment.utf8) { return false }
    }
    return true
  }

  /// What a matching path has in the places, percent-decoded.
  func parameters(_ path: String) throws(WireError) -> [String] {
    if isFixed { return [] }
    var parameters: [String] = []
    for (piece, segment) in zip(path.utf8.split(separator: UInt8(ascii: "/")), segments) where segment.first == "{" {
      parameters.append(try FormEncoding.percentDecode(String(Substring(piece))))
    }
    return parameters
  }
}
