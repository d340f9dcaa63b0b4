/// Hosts as cookies compare them (RFC 6265bis 5.1.2, 5.1.3).
enum CookieDomain {
  /// A host that a person or a file names: in lower case, encoded, without dots at its ends. nil if it is none.
  static func canonical(_ text: String) -> String? {
    text.withBytes { bytes in
      var host = bytes[piece: (bytes.first == Ascii.dot ? 1 : 0)..<bytes.count]
      if host.last == Ascii.dot { host = host[piece: 0..<host.count - 1] }
      guard !host.isEmpty else { return nil }
      if IPv6Literal.isValid(host) { return String(peer: host).lowercased() }
      guard !host.contains(where: { $0 >= 0x80 }) else { return try? IdnHost.encode(host) }
      guard host.count <= 255, host.allSatisfy(UrlParts.isHostByte) else { return nil }
      return String(peer: host).lowercased()
    }
  }

  /// An IP address rather than a name: a name never ends in a number, and addresses are written in many ways (`127.1`, `0x7f.0.0.1`).
  static func isAddress(_ host: String) -> Bool {
    host.withBytes { bytes in
      if bytes.contains(Ascii.colon) { return true }
      let start = bytes.lastIndex(of: Ascii.dot).map { $0 + 1 } ?? 0
      let label = bytes[piece: start..<bytes.count]
      if label.count > 1, label[0] == Ascii.zero, label[1] == 0x78 { return label[2...].allSatisfy { Ascii.hexValue($0) != nil } }
      return !label.isEmpty && label.allSatisfy(Ascii.isDigit)
    }
  }

  /// Whether `host` is `domain` or below it; nothing is below an address.
  static func matches(_ host: String, _ domain: String) -> Bool {
    host.withBytes { hostBytes in
      domain.withBytes { domain in
        let rest = hostBytes.count - domain.count
        guard rest >= 0, hostBytes[rest...].elementsEqual(domain) else { return false }
        return rest == 0 || hostBytes[rest - 1] == Ascii.dot && !isAddress(host)
      }
    }
  }
}
