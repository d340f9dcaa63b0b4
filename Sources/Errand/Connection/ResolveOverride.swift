internal import EventLoop
internal import HttpWire

/// Addresses that stand in for those that a host's name has, as with curl's `--resolve`.
public struct ResolveOverride: Sendable, Hashable, CustomStringConvertible {
  /// Why an override can't be read: names the part that is wrong.
  public struct ParseError: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
  }

  /// How many addresses one override may have.
  public static let maximumAddresses = 32

  /// Lower case, encoded (`xn--…`), without brackets and without a dot at the end; `*` is every host.
  public let host: String
  /// nil is every port.
  public let port: UInt16?
  /// IPv4 or IPv6 addresses, without brackets, in the order in which to try them within each family.
  public let addresses: [String]

  /// Throws for what ``init(parsing:)`` refuses in its parts.
  public init(host: String, port: UInt16?, addresses: [String]) throws(ParseError) {
    self.host = try ResolveOverride.normalized(host)
    guard port != 0 else { throw ParseError(description: "the port 0 is not in 1...65535") }
    self.port = port
    guard !addresses.isEmpty else { throw ParseError(description: "there is no address for \(host)") }
    guard addresses.count <= ResolveOverride.maximumAddresses else {
      throw ParseError(description: "there are more than \(ResolveOverride.maximumAddresses) addresses for \(host)")
    }
    var read: [String] = []
    for text in addresses {
      let address = text.hasPrefix("[") && text.hasSuffix("]") ? String(text.dropFirst().dropLast()) : text
      guard SocketAddress.ip(address, port: 0) != nil else {
        throw ParseError(
          description: address.isEmpty ? "an address for \(host) is empty" : "\(quoted(text)) is neither an IPv4 nor an IPv6 address")
      }
      read.append(address)
    }
    self.addresses = read
  }

  /// Reads `HOST:PORT:ADDRESS[,ADDRESS]…`. HOST may be `*` and PORT may be `*`; IPv6 addresses may stand in brackets, as HOST they must. A `+` before it, with
  /// which curl lets an entry age, is taken and means nothing here. curl's form that takes an entry back (`-HOST:PORT`) is refused.
  public init(parsing text: String) throws(ParseError) {
    guard !text.hasPrefix("-") else { throw ParseError(description: "\(quoted(text)): an override can't be taken back") }
    let rest = text.hasPrefix("+") ? text.dropFirst() : text[...]
    let hostEnd: Substring.Index
    if rest.hasPrefix("[") {
      guard let closing = rest.firstIndex(of: "]") else {
        throw ParseError(description: "\(quoted(text)): the host has no closing bracket")
      }
      hostEnd = rest.index(after: closing)
    } else {
      hostEnd = rest.firstIndex(of: ":") ?? rest.endIndex
    }
    guard hostEnd < rest.endIndex, rest[hostEnd] == ":" else {
      throw ParseError(description: "\(quoted(text)): the host is not followed by a port, as in example.com:443:127.0.0.1")
    }
    let portStart = rest.index(after: hostEnd)
    guard let portEnd = rest[portStart...].firstIndex(of: ":") else {
      throw ParseError(description: "\(quoted(text)): the port is not followed by an address, as in example.com:443:127.0.0.1")
    }
    let addresses = rest[rest.index(after: portEnd)...].split(separator: ",", omittingEmptySubsequences: false)
    do throws(ParseError) {
      try self.init(
        host: String(rest[..<hostEnd]), port: try ResolveOverride.port(rest[portStart..<portEnd]), addresses: addresses.map(String.init))
    } catch {
      throw ParseError(description: "\(quoted(text)): \(error)")
    }
  }

  /// As it was written, normalised.
  public var description: String {
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return "\(name):\(port.map(String.init) ?? "*"):\(addresses.joined(separator: ","))"
  }

  private static func port(_ text: Substring) throws(ParseError) -> UInt16? {
    if text == "*" { return nil }
    guard text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), let port = UInt16(text), port > 0 else {
      throw ParseError(description: "the port \(quoted(String(text))) is not in 1...65535")
    }
    return port
  }

  /// The host as a URL with it has it.
  private static func normalized(_ host: String) throws(ParseError) -> String {
    if host == "*" { return host }
    guard !host.isEmpty else { throw ParseError(description: "the host is empty") }
    let inner = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let isIPv6 = SocketAddress.ip(inner, port: 0)?.isIPv6 == true
    guard isIPv6 || !host.unicodeScalars.contains(where: "/?#@:\\[]".unicodeScalars.contains) else {
      throw ParseError(description: "the host \(quoted(host)) is no host name")
    }
    do throws(WireError) {
      let name = try HttpUrl("http://\(isIPv6 ? "[\(inner)]" : host)/").host
      return name.hasSuffix(".") ? String(name.dropLast()) : name
    } catch {
      throw ParseError(description: "the host \(quoted(host)): \(error)")
    }
  }
}

extension [ResolveOverride] {
  /// The addresses that stand in for those of `host` at `port`: of the closest override, and of the last of those that are equally close. An
  /// override with the host's own name is closer than one for every host, and then one with the port closer than one for every port.
  func addresses(host: String, port: UInt16) -> [SocketAddress]? {
    guard !isEmpty else { return nil }
    let name = host.hasSuffix(".") ? host.dropLast() : host[...]
    var best: (closeness: Int, override: ResolveOverride)?
    for override in self where (override.host == name || override.host == "*") && (override.port == nil || override.port == port) {
      let closeness = (override.host == "*" ? 0 : 2) + (override.port == nil ? 0 : 1)
      if closeness >= best?.closeness ?? 0 { best = (closeness, override) }
    }
    return best.map { $0.override.addresses.compactMap { SocketAddress.ip($0, port: port) } }
  }
}

/// What a caller gave, for an error message: cut, and with controls escaped.
private func quoted(_ text: String) -> String {
  String(text.prefix(80)).debugDescription
}
