/// A subcommand: how it is called, what its help says, and what it does.
struct Command: Sendable {
  enum Theme: String, Sendable, CaseIterable {
    case oneRequest = "Make one request, as with curl"
    case tracked = "Hand requests to the daemon and keep track of them"
    case following = "Follow what happens"
    case other = "Other"
  }

  struct Example: Sendable {
    let line: String
    let says: String
  }

  let name: String
  let theme: Theme
  /// One sentence.
  let summary: String
  /// What follows the name, one line for each way to call it.
  let synopsis: [String]
  /// What a person has to know beyond the options.
  var details: String = ""
  let options: [Option]
  let examples: [Example]
  let exitCodes: [ExitCode]
  let run: @Sendable (Arguments) throws(Failure) -> ExitCode

  /// What the parser accepts: the command's own options and `--help`.
  var allOptions: [Option] { options + [Option.help] }
}

extension Option {
  static let help = Option("help", "h", "show this help")
  static let socket = Option(
    "socket", nil, "PATH", "the daemon's socket (default: ERRAND_SOCKET, or the usual place; see errand --help)")
  static let jsonOutput = Option("json", "print JSON for programs")
}
