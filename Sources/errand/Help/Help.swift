/// The help's text, made from the same tables as the parser.
enum Help {
  static let width = 100

  /// The text of `errand --help`.
  static var overview: String {
    var lines = [
      "errand makes HTTP requests that are tracked: each has a handle, one outcome, and can be cancelled.",
      "",
      "Usage: errand COMMAND [OPTIONS] …",
    ]
    for theme in Command.Theme.allCases {
      lines += ["", theme.rawValue + ":"]
      for command in CommandTable.commands where command.theme == theme {
        lines += hanging("  " + command.name, command.summary, column: 13)
      }
    }
    lines += ["", "The daemon's socket is, in this order:"]
    lines += [
      "  --socket PATH", "  $ERRAND_SOCKET", "  $XDG_RUNTIME_DIR/errand.sock, if XDG_RUNTIME_DIR is set", "  /run/errand.sock for root",
      "  /tmp/errand-UID.sock otherwise",
    ]
    lines += ["", "Exit codes:"] + exitCodes(ExitCode.allCases)
    lines += ["", "errand COMMAND --help tells more, with examples. NO_COLOR turns colours off."]
    return lines.joined(separator: "\n")
  }

  /// The text of `errand COMMAND --help`.
  static func text(for command: Command) -> String {
    var lines = ["errand \(command.name): \(command.summary)", "", "Usage:"]
    lines += command.synopsis.map { "  errand \(command.name) \($0)".trimmingEnd() }
    if !command.details.isEmpty { lines += [""] + command.details.split(separator: "\n").flatMap { wrap(String($0), to: width) } }
    lines += ["", "Options:"]
    for option in command.allOptions { lines += hanging("  " + option.usage, option.help, column: 32) }
    lines += ["", "Examples:"]
    for example in command.examples { lines += ["  # " + example.says, "  " + example.line] }
    lines += ["", "Exit codes:"] + exitCodes(command.exitCodes)
    return lines.joined(separator: "\n")
  }

  private static func exitCodes(_ codes: [ExitCode]) -> [String] {
    codes.flatMap { hanging("  \($0.rawValue)", $0.meaning, column: 8) }
  }

  /// A term, and its explanation from `column` on, wrapped.
  static func hanging(_ term: String, _ text: String, column: Int) -> [String] {
    let wrapped = wrap(text, to: width - column)
    let indent = String(repeating: " ", count: column)
    guard term.count + 2 <= column, let first = wrapped.first else { return [term] + wrapped.map { indent + $0 } }
    let padding = String(repeating: " ", count: column - term.count)
    return [term + padding + first] + wrapped.dropFirst().map { indent + $0 }
  }

  static func wrap(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }
}

extension String {
  func trimmingEnd() -> String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
