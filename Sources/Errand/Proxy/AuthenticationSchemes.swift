/// The schemes in WWW-Authenticate or Proxy-Authenticate fields (RFC 9110 11.6.1).
enum AuthenticationSchemes {
  /// Their names in order, each once whatever its case; at most eight. Never fails: what is no challenge is passed over.
  static func names(_ values: [String]) -> [String] {
    var names: [String] = []
    for value in values {
      for element in elements(value) {
        // A parameter of the scheme before has a `=` where a scheme has a blank or its end.
        let name = element.prefix(while: isToken)
        let rest = element.dropFirst(name.count).drop { isBlank($0) }
        guard !name.isEmpty, name.count <= 40, rest.first != UInt8(ascii: "="), rest.isEmpty || isBlank(element[name.endIndex]) else {
          continue
        }
        let text = String(decoding: name, as: UTF8.self)
        guard !names.contains(where: { $0.lowercased() == text.lowercased() }) else { continue }
        names.append(text)
        if names.count == 8 { return names }
      }
    }
    return names
  }

  /// Between the commas that are not in a quoted string, without blanks at the start.
  private static func elements(_ value: String) -> [ArraySlice<UInt8>] {
    let bytes = Array(value.utf8)
    var elements: [ArraySlice<UInt8>] = []
    var start = 0
    var isQuoted = false
    var isEscaped = false
    for (index, byte) in bytes.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if !isQuoted, byte == UInt8(ascii: ",") {
        elements.append(bytes[start..<index].drop { isBlank($0) })
        start = index + 1
      }
    }
    return elements + [bytes[start...].drop { isBlank($0) }]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isToken(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
