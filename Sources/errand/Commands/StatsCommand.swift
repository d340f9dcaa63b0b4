internal import Errand
internal import HttpWire

extension Command {
  static let stats = Command(
    name: "stats", theme: .following, summary: "Show the daemon's figures.", synopsis: ["[--json]"],
    options: [.jsonOutput, .socket],
    examples: [
      Example(line: "errand stats", says: "for people"),
      Example(line: "errand stats --json", says: "one JSON object"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    let control = ControlClient(arguments)
    let stats = try control.json(control.request(.get, "/v1/stats"))
    if arguments.has("json") {
      Output.line(stats.description)
    } else {
      for line in Fields.lines(stats) { Output.line(line) }
    }
    return .ok
  }
}
