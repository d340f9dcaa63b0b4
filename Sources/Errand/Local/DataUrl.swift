internal import HttpWire

/// A `data:` URL (RFC 2397), taken apart as browsers do (the WHATWG's "data: URL processor"), whose content is decoded apart from that.
struct DataUrl: Sendable {
  /// As it stands in the URL; `text/plain;charset=US-ASCII` if there is none or one that can't be a media type.
  let mediaType: String
  let isBase64: Bool
  private let payload: [UInt8]

  private static let defaultType = "text/plain;charset=US-ASCII"

  static func isOne(_ url: String) -> Bool { LocalUrl.hasScheme("data", url) }

  /// Throws `invalid_request` unless there is a comma between media type and data.
  init(_ url: String) throws(HttpClientError) {
    // A fragment is not part of the data.
    let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") }.dropFirst("data:".utf8.count))
    guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else {
      throw .invalid("url", "the data: URL has no comma before its data")
    }
    var type = String(decoding: bytes[..<comma], as: UTF8.self)
    type = String(type.drop { $0 == " " })
    while type.last == " " { type.removeLast() }
    isBase64 = DataUrl.takeBase64(&type)
    if type.hasPrefix(";") { type = "text/plain" + type }
    let isSendable = type.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    mediaType = isSendable && MediaType(type) != nil ? type : DataUrl.defaultType
    payload = Array(bytes[(comma + 1)...])
  }

  /// For lists and logs: without the data, which may be long and is nobody's business there.
  var shown: String { "data:\(PeerText.line(mediaType, limit: 80))\(isBase64 ? ";base64" : ""),…" }

  /// The content. Takes as long as it is large. Throws `invalid_request` for base64 that is none.
  func decoded() throws(HttpClientError) -> [UInt8] {
    let plain = LocalUrl.percentDecoded(payload)
    guard isBase64 else { return plain }
    var digits = plain.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
    // Padding may be left out, but not by half.
    let padding = UInt8(ascii: "=")
    if !digits.contains(padding) { digits += repeatElement(padding, count: (4 - digits.count % 4) % 4) }
    guard let content = Base64.decode(String(decoding: digits, as: UTF8.self)) else {
      throw .invalid("url", "the data: URL's data is not base64")
    }
    return content
  }

  private static func takeBase64(_ type: inout String) -> Bool {
    guard let semicolon = type.lastIndex(of: ";") else { return false }
    guard type[type.index(after: semicolon)...].drop(while: { $0 == " " }).lowercased() == "base64" else { return false }
    type.removeSubrange(semicolon...)
    while type.last == " " { type.removeLast() }
    return true
  }
}
