/// Names of files that a peer proposes, made such that they can do no harm.
public enum SafeFileName {
  /// The longest name, in bytes of UTF-8.
  public static let maximumBytes = 255
  /// What is longer than this is no extension.
  private static let maximumEnding = 32

  /// A name for a file in a directory of the caller's, or nil if nothing is left of it.
  ///
  /// Only what stands behind the last `/` or `\` counts. Controls and characters that change the direction of text are dropped; what Windows or a
  /// shell takes for more than a character of a name (`<>:"|?*`) becomes `_`, and so do the dots, dashes and tildes that it begins with; blanks at
  /// the ends and dots at the end are dropped; names of devices (`CON`, `NUL.txt`) get a `_` before them. What is too long is cut between two
  /// characters before its extension, which stays.
  public static func make(_ name: String) -> String? {
    // By scalars: with a mark behind it a slash is another character, but still one to the system.
    guard let last = name.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last else { return nil }
    var kept = trimmed(last.compactMap(replacement)[...])
    let begin = kept.prefix { $0 == "." || $0 == "-" || $0 == "~" }
    if !begin.isEmpty { kept = ["_"] + kept[begin.endIndex...] }
    if isDevice(kept) { kept = ["_"] + kept }
    let cut = cut(kept)
    return cut.isEmpty ? nil : text(cut)
  }

  private typealias Scalars = ArraySlice<Unicode.Scalar>

  private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "<", ">", ":", "\"", "|", "?", "*", "\u{FFFD}": return "_"
    case "\u{061C}", "\u{200E}", "\u{200F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}": return nil
    default: return scalar.properties.generalCategory == .control ? nil : scalar
    }
  }

  private static func trimmed(_ name: Scalars) -> Scalars {
    var name = name.drop(while: \.properties.isWhitespace)
    while let last = name.last, last.properties.isWhitespace || last == "." { name.removeLast() }
    return name
  }

  private static func isDevice(_ name: Scalars) -> Bool {
    let stem = text(trimmed(name.prefix { $0 != "." })).uppercased()
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(stem) { return true }
    return stem.count == 4 && (stem.hasPrefix("COM") || stem.hasPrefix("LPT")) && "0123456789¹²³".contains(stem.suffix(1))
  }

  private static func cut(_ name: Scalars) -> Scalars {
    guard width(name) > maximumBytes else { return name }
    let ending = ending(of: name)
    let room = maximumBytes - width(ending)
    var kept: Scalars = []
    var left = room
    for character in text(name[..<ending.startIndex]) {
      left -= character.utf8.count
      guard left >= 0 else { break }
      kept += character.unicodeScalars
    }
    if kept.isEmpty {
      // One character may have marks without end.
      left = room
      kept = name[..<ending.startIndex].prefix { scalar in
        left -= UTF8.width(scalar)
        return left >= 0
      }
    }
    return ending.isEmpty ? trimmed(kept) : kept + ending
  }

  /// The extension with its dot, and with `.tar` before it; empty if it is too long to be one.
  private static func ending(of name: Scalars) -> Scalars {
    guard let dot = name.lastIndex(of: "."), width(name[dot...]) <= maximumEnding else { return name[name.endIndex...] }
    return text(name[..<dot].suffix(4)).lowercased() == ".tar" ? name[(dot - 4)...] : name[dot...]
  }

  private static func width(_ scalars: Scalars) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }

  private static func text(_ scalars: Scalars) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
