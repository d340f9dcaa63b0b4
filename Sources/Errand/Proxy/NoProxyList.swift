internal import HttpWire

/// The hosts that are spoken to without the proxy, with curl's meaning.
///
/// Entries are separated by commas, blanks or both. `*` as the whole list is all hosts. `example.com` and `.example.com` are that host and
/// all hosts below it, whatever the case, with or without one dot at the end on either side. An IP address is itself, however it is written; a network
/// (`10.0.0.0/8`, `fd00::/8`) is the addresses in it. Host names never match addresses, for nothing is resolved.
///
/// There is no wildcard besides `*`, an entry with a port matches nothing, and `localhost` has to be listed to be meant. Entries of no
/// meaning, such as a network with too many bits, match nothing. Beyond curl 7.88, addresses may stand in brackets and `/0` is every address.
struct NoProxyList: Sendable, Hashable {
  private var matchesAll = false
  private var names: Set<String> = []
  private var networks: [IPNetwork] = []

  init(_ text: String) {
    matchesAll = text == "*"
    guard !matchesAll else { return }
    let separators: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t")]
    for entry in text.utf8.split(whereSeparator: separators.contains) { add(entry) }
  }

  var isEmpty: Bool { !matchesAll && names.isEmpty && networks.isEmpty }

  /// Whether `host`, as a URL has it (lower case, no brackets), is in the list.
  func contains(_ host: String) -> Bool {
    if matchesAll { return true }
    if isEmpty { return false }
    if let octets = ipOctets(host) { return networks.contains { $0.contains(octets) } }
    var rest = host.utf8[...]
    if rest.last == UInt8(ascii: ".") { rest = rest.dropLast() }
    while !rest.isEmpty {
      if names.contains(String(decoding: rest, as: UTF8.self)) { return true }
      guard let dot = rest.firstIndex(of: UInt8(ascii: ".")) else { return false }
      rest = rest[rest.index(after: dot)...]
    }
    return false
  }

  private mutating func add(_ entry: Substring.UTF8View) {
    let parts = entry.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return }
    if let octets = ipOctets(NoProxyList.withoutBrackets(first)) {
      let size = octets.count * 8
      guard let bits = parts.count == 2 ? NoProxyList.number(parts[1]) : size, bits <= size else { return }
      networks.append(IPNetwork(octets: octets, bits: bits))
    } else if parts.count == 1 {
      var name = entry
      if name.last == UInt8(ascii: ".") { name = name.dropLast() }
      if name.first == UInt8(ascii: ".") { name = name.dropFirst() }
      if !name.isEmpty { names.insert(NoProxyList.asInUrls(name)) }
    }
  }

  private static func withoutBrackets(_ entry: Substring.UTF8View) -> String {
    let isBracketed = entry.first == UInt8(ascii: "[") && entry.last == UInt8(ascii: "]") && entry.contains(UInt8(ascii: ":"))
    return String(decoding: isBracketed ? entry.dropFirst().dropLast() : entry, as: UTF8.self)
  }

  private static func number(_ digits: Substring.UTF8View) -> Int? {
    guard (1...3).contains(digits.count), digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// A name outside ASCII in the form that a URL's host has.
  private static func asInUrls(_ name: Substring.UTF8View) -> String {
    let text = String(decoding: name, as: UTF8.self).lowercased()
    guard name.contains(where: { $0 >= 0x80 }) else { return text }
    return (try? HttpUrl("http://\(text)/"))?.host ?? text
  }
}
