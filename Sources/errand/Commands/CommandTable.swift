/// Every subcommand, in the order of the help.
enum CommandTable {
  static let commands: [Command] = [
    .get, .post, .put, .patch, .delete, .head,
    .submit, .list, .show, .explain, .cancel, .pause, .resume, .prioritize, .cookies,
    .watch, .delegates, .webhook, .redeliver, .ack, .top, .stats,
    .completion, .version, .help,
  ]

  static func named(_ name: String) throws(Failure) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    throw .usage("unknown command \"\(name)\"" + Suggestion.words(for: name, among: commands.map(\.name)))
  }
}
