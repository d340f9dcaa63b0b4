internal import HttpWire

/// A `file:` URL (RFC 8089): a path of this machine.
struct FileUrl: Sendable {
  /// Absolute; of any bytes but NUL.
  let path: [UInt8]

  static func isOne(_ url: String) -> Bool { LocalUrl.hasScheme("file", url) }

  /// Throws `invalid_request` for another machine's file, a path that is not absolute, and a query, which a file does not have.
  init(_ url: String) throws(HttpClientError) {
    var bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "#") }.dropFirst("file:".utf8.count))[...]
    guard !bytes.contains(UInt8(ascii: "?")) else {
      throw .invalid("url", "the file: URL has a query; a question mark in a name is written %3F")
    }
    if bytes.starts(with: "//".utf8) {
      let host = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
        throw .invalid("url", "the file: URL names a host other than localhost; only files of this machine can be read")
      }
      bytes = bytes.dropFirst(2 + host.count)
    }
    guard bytes.first == UInt8(ascii: "/") else { throw .invalid("url", "the file: URL has no absolute path, as in file:///tmp/a.txt") }
    let path = LocalUrl.percentDecoded(Array(bytes))
    guard !path.contains(0) else { throw .invalid("url", "the file: URL's path holds a NUL") }
    self.path = path
  }

  /// For people.
  var shown: String { PeerText.line(String(decoding: path, as: UTF8.self)) }

  /// What stands after the last dot of the name; empty if there is none.
  var nameExtension: String {
    let name = path.split(separator: UInt8(ascii: "/")).last ?? []
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return "" }
    return String(decoding: name[(dot + 1)...], as: UTF8.self)
  }
}

extension HttpRequest {
  /// The path of the file that it asks for by a `file:` URL; nil for other URLs, and for one that can't be read.
  public var localFile: String? {
    guard FileUrl.isOne(url), let file = try? FileUrl(url) else { return nil }
    return String(decoding: file.path, as: UTF8.self)
  }
}
