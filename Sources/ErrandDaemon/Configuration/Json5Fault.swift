/// Finds where a text stops being JSON5: Foundation, which decodes it, only says that it is not.
struct Json5Fault: Error {
  let line: Int
  /// In characters, from 1.
  let column: Int
  let message: String

  /// nil if no fault is found here.
  static func find(in text: String) -> Json5Fault? {
    var scanner = Json5Scanner(text)
    do throws(Json5Fault) {
      try scanner.scanDocument()
      return nil
    } catch {
      return error
    }
  }
}

/// Walks over one JSON5 text. It takes a little more than the standard allows (any word of letters and digits as a number that begins like
/// one, say): it is asked only about texts that are known to be wrong.
private struct Json5Scanner {
  private static let depthLimit = 512

  private let text: [Unicode.Scalar]
  private var index = 0
  private var depth = 0

  init(_ text: String) {
    self.text = Array(text.unicodeScalars)
  }

  mutating func scanDocument() throws(Json5Fault) {
    try skipSpace()
    try scanValue()
    try skipSpace()
    guard current == nil else { throw fault("nothing may follow the value") }
  }

  private var current: Unicode.Scalar? { index < text.count ? text[index] : nil }

  private func fault(_ message: String) -> Json5Fault { fault(message, at: index) }

  private func fault(_ message: String, at place: Int) -> Json5Fault {
    let before = text[..<min(place, text.count)]
    let start = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
    return Json5Fault(line: before.count { $0 == "\n" } + 1, column: before.count - start + 1, message: message)
  }

  private func unexpected(_ wanted: String) -> Json5Fault {
    guard let current else { return fault("the text ends where \(wanted) is expected") }
    return fault("\(String(current).debugDescription) stands where \(wanted) is expected")
  }

  private mutating func skipSpace() throws(Json5Fault) {
    while let scalar = current {
      if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        index += 1
      } else if scalar == "/", index + 1 < text.count, text[index + 1] == "/" {
        while let next = current, next != "\n", next != "\r" { index += 1 }
      } else if scalar == "/", index + 1 < text.count, text[index + 1] == "*" {
        let start = index
        index += 2
        while index + 1 < text.count, text[index] != "*" || text[index + 1] != "/" { index += 1 }
        guard index + 1 < text.count else { throw fault("a comment begins here that does not end", at: start) }
        index += 2
      } else {
        return
      }
    }
  }

  private mutating func scanValue() throws(Json5Fault) {
    switch current {
    case "{": try scanList(closing: "}", isObject: true)
    case "[": try scanList(closing: "]", isObject: false)
    case "\"", "'": try scanString()
    case let scalar? where isWord(scalar) || scalar == "+" || scalar == "-" || scalar == ".": try scanWord()
    default: throw unexpected("a value")
    }
  }

  private mutating func scanList(closing: Unicode.Scalar, isObject: Bool) throws(Json5Fault) {
    depth += 1
    guard depth <= Json5Scanner.depthLimit else { throw fault("the values lie too deep in one another") }
    index += 1
    try skipSpace()
    while current != closing {
      if isObject {
        try scanKey()
        try skipSpace()
        guard current == ":" else { throw unexpected("a colon") }
        index += 1
        try skipSpace()
      }
      try scanValue()
      try skipSpace()
      guard current != closing else { break }
      guard current == "," else { throw unexpected("a comma or \(closing)") }
      index += 1
      try skipSpace()
    }
    index += 1
    depth -= 1
  }

  private mutating func scanKey() throws(Json5Fault) {
    if current == "\"" || current == "'" { return try scanString() }
    guard let first = current, isWord(first), !("0"..."9").contains(first) else { throw unexpected("a key") }
    while let scalar = current, isWord(scalar) { index += 1 }
  }

  private mutating func scanString() throws(Json5Fault) {
    let start = index
    let quote = current
    index += 1
    while let scalar = current, scalar != quote {
      guard scalar != "\n", scalar != "\r" else { break }
      // A line end after a backslash belongs to the text.
      index += scalar == "\\" ? 2 : 1
    }
    guard current == quote else { throw fault("a text begins here that does not end on its line", at: start) }
    index += 1
  }

  /// true, false, null or a number.
  private mutating func scanWord() throws(Json5Fault) {
    let start = index
    while let scalar = current, isWord(scalar) || scalar == "+" || scalar == "-" || scalar == "." { index += 1 }
    var word = ""
    word.unicodeScalars.append(contentsOf: text[start..<index])
    let digits = word.drop { $0 == "+" || $0 == "-" || $0 == "." }
    let isNumber = digits.first?.isNumber == true || digits == "Infinity" || digits == "NaN"
    guard isNumber || ["true", "false", "null"].contains(word) else {
      throw fault("\(word.debugDescription) is no value; texts stand in quotes", at: start)
    }
  }

  private func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || scalar == "\\" || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }
}
