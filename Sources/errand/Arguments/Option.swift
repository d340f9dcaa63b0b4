/// One option of a command: what the parser accepts and what the help shows are both made from it.
struct Option: Sendable {
  enum Value: Sendable {
    case none
    /// With the name that the help gives the value.
    case required(String)
    case optional(String)
  }

  let long: String
  let short: Character?
  let value: Value
  let help: String
  /// Each use counts; otherwise the last one does.
  let isRepeatable: Bool

  init(_ long: String, _ short: Character?, value: Value, repeats: Bool = false, _ help: String) {
    self.long = long
    self.short = short
    self.value = value
    self.help = help
    isRepeatable = repeats
  }

  /// One with a value.
  init(_ long: String, _ short: Character?, _ value: String, repeats: Bool = false, _ help: String) {
    self.init(long, short, value: .required(value), repeats: repeats, help)
  }

  /// A flag with a letter.
  init(_ long: String, _ short: Character, _ help: String) {
    self.init(long, short, value: .none, help)
  }

  /// A flag.
  init(_ long: String, _ help: String) {
    self.init(long, nil, value: .none, help)
  }

  /// Such as `-H, --header LINE`.
  var usage: String {
    let names = (short.map { "-\($0), " } ?? "    ") + "--" + long
    return switch value {
    case .none: names
    case .required(let name): "\(names) \(name)"
    case .optional(let name): "\(names)[=\(name)]"
    }
  }
}
