/// The host of a URL that was checked before, found without reading the rest: lists look at very many.
enum UrlHost {
  /// Whether the URL's host is `host`, which is in lower case and, if an IPv6 address, without brackets.
  static func of(_ url: String, is host: String) -> Bool {
    var url = url
    return url.withUTF8 { bytes in
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes.count > colon + 3 else { return false }
      var authority = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
      if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
      if authority.first == UInt8(ascii: "[") {
        authority = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      } else {
        authority = authority.prefix { $0 != UInt8(ascii: ":") }
      }
      return authority.elementsEqual(host.utf8) { byte, wanted in
        (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == wanted
      }
    }
  }
}
