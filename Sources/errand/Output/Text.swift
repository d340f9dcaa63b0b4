internal import Glibc

/// Numbers and foreign text in the form that people read.
enum Text {
  /// Without control characters: what a server says must not steer the terminal.
  static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
    return String(scalars)
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 && scalar != "\n" || (0x7F...0x9F).contains(scalar.value)
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
