extension Command {
  static let version = Command(
    name: "version", theme: .other, summary: "Show the version.", synopsis: ["[--json]"], options: [.jsonOutput],
    examples: [
      Example(line: "errand version", says: "for people"),
      Example(line: "errand version --json", says: "for programs"),
    ],
    exitCodes: [.ok, .usage]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    Output.line(arguments.has("json") ? "{\"name\":\"errand\",\"version\":\"\(Version.text)\"}" : "errand \(Version.text)")
    return .ok
  }
}

enum Version {
  static let text = "1.0.0"
}
