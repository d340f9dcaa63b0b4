internal import Errand
internal import HttpWire

extension Command {
  static let show = Command(
    name: "show", theme: .tracked, summary: "Show one request, with its timeline.",
    synopsis: ["[OPTIONS] HANDLE"],
    options: [
      Option("body", "write the response's body instead, byte for byte"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand show 1042", says: "everything that is known"),
      Example(line: "errand show 1042 --body > answer.json", says: "the body of the response"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused, .noSuchHandle]
  ) { (arguments) throws(Failure) in
    let handle = try arguments.single("HANDLE")
    let control = ControlClient(arguments)
    if arguments.has("body") {
      Output.write(try control.call(control.request(.get, HandlePath.of(handle, "/body"), waits: true)).body)
      return .ok
    }
    let request = try control.json(control.request(.get, HandlePath.of(handle)))
    if arguments.has("json") { Output.line(request.description) } else { RequestPage.write(request) }
    return .ok
  }

  static let explain = Command(
    name: "explain", theme: .tracked, summary: "Say in words what a request is doing, waits for, or came to, and when.",
    synopsis: ["[OPTIONS] HANDLE"], options: [.jsonOutput, .socket],
    examples: [
      Example(line: "errand explain 1042", says: "why is there no answer yet?"),
      Example(line: "errand explain 1042 --json", says: "the sentence and the timeline as JSON"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused, .noSuchHandle]
  ) { (arguments) throws(Failure) in
    let handle = try arguments.single("HANDLE")
    let control = ControlClient(arguments)
    let request = try control.json(control.request(.get, HandlePath.of(handle)))
    if arguments.has("json") {
      let members = ["handle", "state", "explanation", "timeline"]
      Output.line(JsonValue.object(JsonObject(members.map { .init(key: $0, value: request[$0] ?? .null) })).description)
    } else {
      Output.line(
        Text.onOneLine(request["explanation"]?.string ?? "the daemon says no more than: \(request["state"]?.string ?? "unknown")"))
      RequestPage.writeTimeline(request)
    }
    return .ok
  }
}
