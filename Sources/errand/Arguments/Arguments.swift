/// What a command line said, checked against the command's options.
struct Arguments: Sendable {
  private var values: [String: [String]] = [:]
  /// Every use of an option, in order.
  private var uses: [(name: String, value: String)] = []
  var positionals: [String] = []

  mutating func set(_ option: Option, _ value: String) {
    uses.append((option.long, value))
    if option.isRepeatable { values[option.long, default: []].append(value) } else { values[option.long] = [value] }
  }

  func has(_ name: String) -> Bool { values[name] != nil }
  func value(_ name: String) -> String? { values[name]?.last }
  func all(_ name: String) -> [String] { values[name] ?? [] }

  /// The uses of some options, in the order in which they stand.
  func uses(of names: Set<String>) -> [(name: String, value: String)] { uses.filter { names.contains($0.name) } }

  /// A whole number of at least `minimum`.
  func integer(_ name: String, atLeast minimum: Int = .min) throws(Failure) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text) else { throw .usage("--\(name): \"\(text)\" is not a whole number") }
    guard number >= minimum else { throw .usage("--\(name): must be at least \(minimum)") }
    return number
  }

  /// A time in seconds, decimals allowed.
  func seconds(_ name: String) throws(Failure) -> Duration? {
    guard let text = value(name) else { return nil }
    guard let seconds = Double(text), seconds.isFinite, seconds >= 0, seconds <= 1e9 else {
      throw .usage("--\(name): \"\(text)\" is not a number of seconds")
    }
    return .milliseconds(Int64((seconds * 1_000).rounded(.up)))
  }

  /// `NAME=VALUE` pairs; the value may be empty and may contain `=`.
  func pairs(_ name: String) throws(Failure) -> [(String, String)] {
    var pairs: [(String, String)] = []
    for text in all(name) {
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw .usage("--\(name): \"\(text)\" is not of the form NAME=VALUE")
      }
      pairs.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    }
    return pairs
  }

  /// The one positional argument that the command takes.
  func single(_ what: String) throws(Failure) -> String {
    guard let first = positionals.first else { throw .usage("\(what) is missing") }
    guard positionals.count == 1 else { throw .usage("only one \(what) is allowed, and \"\(positionals[1])\" is a second one") }
    return first
  }

  func none() throws(Failure) {
    if let first = positionals.first { throw .usage("\"\(first)\" is one argument too many") }
  }
}
