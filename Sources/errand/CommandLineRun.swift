/// From the words of a command line to an exit code.
enum CommandLineRun {
  static func run(_ words: [String]) -> ExitCode {
    guard let name = words.first else {
      Output.raw(Help.overview + "\n")
      return .usage
    }
    do throws(Failure) {
      switch name {
      case "-h", "--help": return try run(.help, [])
      case "-V", "--version": return try run(.version, [])
      default: return try run(CommandTable.named(name), Array(words.dropFirst()))
      }
    } catch {
      Output.note(error.message)
      Output.raw("Try 'errand --help'.\n")
      return error.code
    }
  }

  private static func run(_ command: Command, _ words: [String]) throws(Failure) -> ExitCode {
    var isSilent = false
    do throws(Failure) {
      let arguments = try ArgumentParser(options: command.allOptions).parse(words)
      if arguments.has("help") {
        Output.line(Help.text(for: command))
        return .ok
      }
      isSilent = arguments.has("silent")
      return try command.run(arguments)
    } catch {
      if isSilent, error.code != .usage { return error.code }
      Output.note(error.message)
      if let hint = error.hint { Output.raw(hint + "\n") }
      if error.code == .usage { Output.raw("Try 'errand \(command.name) --help'.\n") }
      return error.code
    }
  }
}
