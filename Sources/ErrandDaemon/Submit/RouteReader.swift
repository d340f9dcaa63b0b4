internal import Errand
internal import HttpWire

/// Reads how a request gets to its server: `proxy` and `no_proxy`, `resolve`.
enum RouteReader {
  static let overrides = 100

  /// `"none"`, `"environment"`, or the URL of a proxy. No error repeats the URL, which may hold a password.
  static func proxy(_ value: JsonValue?, noProxy: JsonValue?) throws(Problem) -> ProxyChoice? {
    guard let value else {
      if noProxy != nil { throw .invalidValue("/no_proxy", "needs /proxy beside it") }
      return nil
    }
    let url = try FieldReader.text(value, "/proxy")
    if url == ProxySetting.none || url.isEmpty { return ProxyChoice.none }
    if url == ProxySetting.environment { return .environment }
    let list = try noProxy.map { (value) throws(Problem) in try FieldReader.text(value, "/no_proxy") }
    let choice = ProxyChoice.url(url, noProxy: list ?? "")
    if let fault = ProxySetting.fault(choice) { throw .invalidValue("/proxy", fault) }
    return choice
  }

  /// `{"host:port": ["address", …]}`; the port may be left out, and a single address stand without an array.
  static func resolve(_ value: JsonValue) throws(Problem) -> [ResolveOverride] {
    guard case .object(let object) = value else {
      throw .wrongType("/resolve", expected: "an object such as {\"example.com:443\": [\"127.0.0.1\"]}", found: value)
    }
    guard object.members.count <= overrides else {
      throw .invalidValue("/resolve", "has \(object.members.count) hosts, more than \(overrides)")
    }
    var read: [ResolveOverride] = []
    for member in object.members {
      let field = "/resolve/" + Problem.pointerToken(member.key)
      var addresses: [String] = []
      if case .array(let elements) = member.value {
        for (index, element) in elements.enumerated() { addresses.append(try FieldReader.text(element, "\(field)/\(index)")) }
      } else if case .string(let address) = member.value {
        addresses = [address]
      } else {
        throw .wrongType(field, expected: "an array of addresses", found: member.value)
      }
      do throws(ResolveOverride.ParseError) {
        read.append(try ResolveOverride(place: member.key, addresses: addresses))
      } catch {
        throw .invalidValue(field, "is wrong: \(error)")
      }
    }
    return read
  }
}

extension ResolveOverride {
  /// `place`: `host:port`, or `host` for every port; an IPv6 address stands in brackets.
  init(place: String, addresses: [String]) throws(ParseError) {
    if place.contains(":"), !place.hasSuffix("]") {
      self = try ResolveOverride(parsing: place + ":" + addresses.joined(separator: ","))
    } else {
      self = try ResolveOverride(host: place, port: nil, addresses: addresses)
    }
  }
}
