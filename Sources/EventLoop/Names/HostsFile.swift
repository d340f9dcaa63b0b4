/// The system's table of names, hosts(5).
struct HostsFile: Sendable {
  /// What is read of one; the rest does not count.
  static let maximumBytes = 16 * 1_048_576

  private var addressesOfName: [String: [SocketAddress]] = [:]

  init() {}

  /// Reads lines of `ADDRESS NAME…`, with comments after `#`. Lines that are none are passed over, as every reader of the file does.
  init(_ bytes: [UInt8]) {
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let words = line.prefix { $0 != UInt8(ascii: "#") }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard words.count > 1, let address = SocketAddress.ip(String(decoding: words[0], as: UTF8.self), port: 0) else { continue }
      for word in words.dropFirst() {
        guard let name = try? HostName(String(decoding: word, as: UTF8.self)) else { continue }
        if addressesOfName[name.text]?.contains(address) != true { addressesOfName[name.text, default: []].append(address) }
      }
    }
  }

  /// Of both families, in the order of the file; nil if the name is not there.
  func addresses(of name: String) -> [SocketAddress]? { addressesOfName[name] }
}
