/// Words of a peer on their way into an error message or a log.
enum PeerText {
  /// The longest text of a peer in a message, in Unicode scalars.
  static let limit = 300

  /// One line without control characters and marks that turn the direction of writing, cut at `limit` scalars.
  static func line(_ text: String, limit: Int = limit) -> String {
    var line = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      guard count < limit else {
        line.append("…")
        break
      }
      line.append(isPlain(scalar) ? scalar : " ")
      count += 1
    }
    return String(line)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }
}
