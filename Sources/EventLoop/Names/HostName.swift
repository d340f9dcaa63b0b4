/// A host name as it is asked for: lower case, checked, without the dot at its end.
struct HostName: Hashable, Sendable {
  let text: String
  /// Ended in a dot: search domains do not apply.
  let isAbsolute: Bool

  static let maximumLength = 253
  static let maximumLabelLength = 63
  /// How many names are asked for one: search domains beyond that are not looked at.
  static let maximumCandidates = 10

  /// Refuses, in words, what no name server can know.
  init(_ host: String) throws(ResolveError) {
    let bytes = host.utf8
    isAbsolute = bytes.last == UInt8(ascii: ".")
    let name = isAbsolute ? bytes.dropLast() : bytes[...]
    func refusal(_ reason: String) -> ResolveError {
      let shown = String(host.prefix(HostName.maximumLength))
      return ResolveError("can't resolve \(shown.debugDescription): \(reason)", isTemporary: false)
    }
    guard !name.isEmpty else { throw refusal("the name is empty") }
    guard name.count <= HostName.maximumLength else { throw refusal("the name is longer than \(HostName.maximumLength) bytes") }
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels {
      guard !label.isEmpty else { throw refusal("a label of it is empty") }
      guard label.count <= HostName.maximumLabelLength else {
        throw refusal("a label of it is longer than \(HostName.maximumLabelLength) bytes")
      }
      guard label.allSatisfy(HostName.isLabelByte) else {
        throw refusal("it holds a character that is not a letter, digit, '-' or '_'")
      }
    }
    // No top-level domain is a number: this is an address in a form that only some programs read, and read differently.
    if let last = labels.last, HostName.isNumber(last) {
      throw refusal("it is neither an IPv4 address nor a name, for it ends in a number")
    }
    text = String(decoding: name.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// Names this machine itself (RFC 6761 section 6.3).
  var isLocalhost: Bool { text == "localhost" || text.hasSuffix(".localhost") }

  /// The names to ask for, one after the other, as resolv.conf(5) says: with search domains, after the name as it is if that has at least
  /// `ndots` dots, else before it.
  func candidates(domains: [String], ndots: Int) -> [String] {
    if isAbsolute { return [text] }
    let searched = domains.compactMap { domain -> String? in
      guard let suffix = try? HostName(domain) else { return nil }
      let name = "\(text).\(suffix.text)"
      return name.utf8.count <= HostName.maximumLength ? name : nil
    }.prefix(HostName.maximumCandidates - 1)
    let dots = text.utf8.count { $0 == UInt8(ascii: ".") }
    return dots >= ndots ? [text] + searched : searched + [text]
  }

  private static func isLabelByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func isNumber(_ label: Substring.UTF8View.SubSequence) -> Bool {
    if label.allSatisfy({ $0 &- 0x30 < 10 }) { return true }
    guard label.first == 0x30, label.dropFirst().first.map({ $0 | 0x20 }) == UInt8(ascii: "x") else { return false }
    return label.dropFirst(2).allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 }
  }
}
