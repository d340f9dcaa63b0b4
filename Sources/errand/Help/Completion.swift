/// What a shell is told of the commands and their options: made from the same tables as the parser and the help.
enum Completion {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  static func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  private static var names: String { CommandTable.commands.map(\.name).joined(separator: " ") }

  private static func words(_ command: Command) -> String {
    command.allOptions.flatMap { option in ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? []) }.joined(separator: " ")
  }

  private static var bash: String {
    var lines = [
      "# bash completion for errand", "_errand() {", "  local words", "  case ${COMP_WORDS[1]} in",
    ]
    for command in CommandTable.commands { lines.append("    \(command.name)) words='\(words(command))' ;;") }
    lines += [
      "    *) words='\(names) --help' ;;", "  esac", "  if [ \"$COMP_CWORD\" -eq 1 ]; then words='\(names) --help'; fi",
      "  case $2 in", "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$2\")) ;;",
      "    *) if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"$words\" -- \"$2\")); else COMPREPLY=($(compgen -f -- \"$2\")); fi ;;",
      "  esac",
      "}", "complete -o filenames -F _errand errand", "",
    ]
    return lines.joined(separator: "\n")
  }

  private static var zsh: String {
    var lines = ["#compdef errand", "_errand() {", "  local -a commands", "  commands=("]
    for command in CommandTable.commands { lines.append("    '\(command.name):\(quoted(command.summary))'") }
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi", "  case $words[2] in"]
    for command in CommandTable.commands {
      let options = command.allOptions.map { option in
        let value = if case .none = option.value { "" } else { ":value:_files" }
        return
          "'--\(option.long)[\(quoted(option.help).replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: " "))]\(value)'"
      }
      lines.append("    \(command.name)) _arguments \(options.joined(separator: " ")) '*:file:_files' ;;")
    }
    lines += ["  esac", "}", "_errand \"$@\"", ""]
    return lines.joined(separator: "\n")
  }

  private static var fish: String {
    var lines = ["# fish completion for errand", "complete -c errand -f -n __fish_use_subcommand -l help"]
    for command in CommandTable.commands {
      lines.append("complete -c errand -f -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'")
      for option in command.allOptions {
        let short = option.short.map { " -s \($0)" } ?? ""
        let value = if case .none = option.value { "" } else { " -r" }
        lines.append(
          "complete -c errand -n '__fish_seen_subcommand_from \(command.name)' -l \(option.long)\(short)\(value) -d '\(quoted(option.help))'"
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String { text.replacing("'", with: "’") }
}
