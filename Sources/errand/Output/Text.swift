internal import Glibc

/// Numbers and foreign text in the form that people read.
enum Text {
  /// Without characters that steer: what a server says must neither move the terminal's cursor nor show text in another order than it
  /// stands in.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: steers) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(steers(scalar) ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }

  /// The same without line ends, for what stands on a line with other things: a key must not look like a line of the table.
  static func onOneLine(_ text: String) -> String {
    printable(String(String.UnicodeScalarView(text.unicodeScalars.map { isLineEnd($0) ? "\u{FFFD}" : $0 })))
  }

  private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool { ["\n", "\r", "\u{2028}", "\u{2029}"].contains(scalar) }

  private static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F...0x9F: true
    // Embeddings, overrides and isolates of the bidirectional algorithm.
    case 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Such as `340 µs`, `12.3 ms`, `4.1 s`, `3 min 20 s`.
  static func duration(microseconds: Int64) -> String {
    if microseconds < 1_000 { return "\(microseconds) µs" }
    if microseconds < 1_000_000 { return decimal(Double(microseconds) / 1_000) + " ms" }
    if microseconds < 120_000_000 { return decimal(Double(microseconds) / 1_000_000) + " s" }
    let seconds = microseconds / 1_000_000
    if seconds < 7_200 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3_600) h \(seconds / 60 % 60) min"
  }

  /// Such as `512 B`, `12.3 KiB`, `4.1 MiB`.
  static func bytes(_ count: Int64) -> String {
    if count < 1_024 { return "\(count) B" }
    var value = Double(count)
    var unit = "B"
    for larger in ["KiB", "MiB", "GiB", "TiB"] where value >= 1_024 {
      value /= 1_024
      unit = larger
    }
    return "\(decimal(value)) \(unit)"
  }

  static func decimal(_ value: Double) -> String {
    if value >= 100 { return String(Int64(value.rounded())) }
    let tenths = Int64((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }

  /// At most so many characters, with an ellipsis for what is missing.
  static func cut(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
  }
}
