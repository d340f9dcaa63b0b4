/// One pass over the words of a netrc file.
struct NetrcParser {
  private let bytes: UnsafeRawBufferPointer
  private var index = 0
  private var line = 1

  static func entries(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [Netrc.Entry] {
    var parser = NetrcParser(bytes: bytes)
    return try parser.entries()
  }

  private init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  private mutating func entries() throws(WireError) -> [Netrc.Entry] {
    var entries: [Netrc.Entry] = []
    while true {
      skipBlanks()
      guard index < bytes.count else { return entries }
      if bytes[index] == 0x23 {
        skipLine()
        continue
      }
      let keyword = try word()
      switch String(decoding: keyword, as: UTF8.self).lowercased() {
      case "machine": entries.append(Netrc.Entry(host: try value("machine").lowercased()))
      case "default": entries.append(Netrc.Entry())
      case "login": try set(\.login, "login", in: &entries)
      case "password": try set(\.password, "password", in: &entries)
      case "account": try set(\.account, "account", in: &entries)
      case "macdef":
        _ = try value("macdef")
        skipMacro()
      default:
        // It may be the rest of a password with a blank in it, so it is not repeated.
        throw failure("a word is none of machine, default, login, password, account and macdef; values with blanks need double quotes")
      }
    }
  }

  private mutating func set(
    _ property: WritableKeyPath<Netrc.Entry, String?>, _ keyword: String, in entries: inout [Netrc.Entry]
  ) throws(WireError) {
    guard !entries.isEmpty else { throw failure("\(keyword) stands before the first machine") }
    entries[entries.count - 1][keyPath: property] = try value(keyword)
  }

  private mutating func value(_ keyword: String) throws(WireError) -> String {
    let start = line
    skipBlanks()
    guard index < bytes.count else { throw failure("\(keyword) has no value", at: start) }
    guard let text = String(validating: try word(), as: UTF8.self) else { throw failure("the value of \(keyword) is not UTF-8") }
    return text
  }

  private mutating func word() throws(WireError) -> [UInt8] {
    if bytes[index] == Ascii.quote { return try quoted() }
    let start = index
    while index < bytes.count, !Self.isSpace(bytes[index]) { index += 1 }
    return Array(bytes[start..<index])
  }

  private mutating func quoted() throws(WireError) -> [UInt8] {
    var text: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != Ascii.lf {
      switch bytes[index] {
      case Ascii.quote:
        index += 1
        return text
      case Ascii.backslash where index + 1 < bytes.count && bytes[index + 1] != Ascii.lf:
        index += 1
        switch bytes[index] {
        case 0x6E: text.append(Ascii.lf)
        case 0x72: text.append(Ascii.cr)
        case 0x74: text.append(Ascii.tab)
        case let other: text.append(other)
        }
      case let byte: text.append(byte)
      }
      index += 1
    }
    throw failure("a quote is not closed on its line")
  }

  private mutating func skipMacro() {
    skipLine()
    while index < bytes.count {
      let start = index
      skipLine()
      if bytes[start..<index].allSatisfy({ $0 == Ascii.cr || $0 == Ascii.lf }) { return }
    }
  }

  private mutating func skipLine() {
    while index < bytes.count, bytes[index] != Ascii.lf { index += 1 }
    if index < bytes.count {
      index += 1
      line += 1
    }
  }

  private mutating func skipBlanks() {
    while index < bytes.count, Self.isSpace(bytes[index]) {
      if bytes[index] == Ascii.lf { line += 1 }
      index += 1
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == Ascii.space || (0x09...0x0D).contains(byte) }

  private func failure(_ message: String, at line: Int? = nil) -> WireError { .invalid("line \(line ?? self.line): \(message)") }
}
