extension Command {
  static let completion = Command(
    name: "completion", theme: .other, summary: "Print a script that completes commands and options in a shell.",
    synopsis: ["bash | zsh | fish"],
    options: [],
    examples: [
      Example(line: "source <(errand completion bash)", says: "for this shell"),
      Example(line: "errand completion fish > ~/.config/fish/completions/errand.fish", says: "for good"),
    ],
    exitCodes: [.ok, .usage]
  ) { (arguments) throws(Failure) in
    guard arguments.positionals.count == 1, let shell = Completion.Shell(rawValue: arguments.positionals[0]) else {
      throw .usage("the shell must be bash, zsh or fish")
    }
    Output.write(Array(Completion.script(for: shell).utf8))
    return .ok
  }
}
