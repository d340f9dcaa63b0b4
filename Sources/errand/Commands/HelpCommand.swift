extension Command {
  static let help = Command(
    name: "help", theme: .other, summary: "Show what errand can do, or how one command is used.",
    synopsis: ["[COMMAND]"], options: [],
    examples: [
      Example(line: "errand help", says: "all commands"),
      Example(line: "errand help submit", says: "one command, with examples"),
    ],
    exitCodes: [.ok, .usage]
  ) { (arguments) throws(Failure) in
    guard !arguments.positionals.isEmpty else {
      Output.line(Help.overview)
      return .ok
    }
    Output.line(Help.text(for: try CommandTable.named(arguments.single("COMMAND"))))
    return .ok
  }
}
