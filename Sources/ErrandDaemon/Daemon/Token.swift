/// The bearer token of the TCP listener.
enum Token {
  private static let minimumLength = 16

  /// nil if none is set. Reads the file: not for the loop.
  static func load(_ configuration: DaemonConfiguration) throws(DaemonError) -> [UInt8]? {
    let name: String
    let text: String
    if let token = configuration.token {
      name = "token"
      text = token
    } else if let path = configuration.tokenFile {
      name = "token_file"
      text = try StateFile.read(path, for: name, limit: 4_096)
    } else {
      return nil
    }
    var token = Array(text.utf8)
    while token.last == 0x0A || token.last == 0x0D { token.removeLast() }
    guard token.count >= minimumLength else { throw DaemonError("\(name): a token has at least \(minimumLength) characters") }
    guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw DaemonError("\(name): a token is plain ASCII without spaces") }
    return token
  }
}
