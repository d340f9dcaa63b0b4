internal import Errand
internal import HttpWire

extension Command {
  static let webhook = Command(
    name: "webhook", theme: .following, summary: "Have a delegate's events sent to a URL.",
    synopsis: ["[OPTIONS] NAME URL", "[OPTIONS] NAME --off"],
    details: """
      Each event is a POST, signed by the rules of Standard Webhooks, and tried again until it is taken (2xx) or given up; then it goes to the \
      delegate NAME.dead. The secret with which a receiver checks the signature is printed. With --off the events wait to be followed again.
      """,
    options: [
      Option("secret", nil, "SECRET", "whsec_ and base64, or secret:NAME of the daemon's configuration (default: a new one)"),
      Option("max-attempts", nil, "N", "tries of one event (default: as the daemon's settings say)"),
      Option("types", nil, "TYPES", "only events of these types, with commas between them"),
      Option("off", "no webhook any more"),
      .socket,
    ],
    examples: [
      Example(line: "errand webhook agent-a http://localhost:9000/events", says: "prints the secret"),
      Example(line: "errand webhook monitor http://localhost:9000/failed --types failed", says: "failures only"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    let control = ControlClient(arguments)
    guard let name = arguments.positionals.first else { throw .usage("NAME is missing") }
    let path = "/v1/delegates/" + FormEncoding.percentEncode(name)
    if arguments.has("off") {
      guard arguments.positionals.count == 1 else { throw .usage("--off takes no URL") }
      _ = try control.json(control.request(.put, path, body: .json(Array("{\"type\": \"mailbox\"}".utf8))))
      return .ok
    }
    guard arguments.positionals.count == 2 else { throw .usage("a NAME and a URL are needed") }
    var webhook = JsonObject()
    webhook["url"] = .string(arguments.positionals[1])
    if let secret = arguments.value("secret") { webhook["secret"] = .string(secret) }
    if let count = try arguments.integer("max-attempts") { webhook["max_attempts"] = .number(JsonNumber(count)) }
    if let types = arguments.value("types") { webhook["types"] = .array(types.split(separator: ",").map { .string(String($0)) }) }
    var declaration = JsonObject()
    declaration["webhook"] = .object(webhook)
    let answer = try control.json(control.request(.put, path, body: .json(Array(JsonValue.object(declaration).description.utf8))))
    if let secret = answer["webhook"]?["secret"]?.string { Output.line(secret) }
    return .ok
  }

  static let redeliver = Command(
    name: "redeliver", theme: .following, summary: "Send once more what a delegate's webhook did not take.",
    synopsis: ["[OPTIONS] NAME"],
    details: "What was given up goes behind the events that wait, and what waits is tried at once.",
    options: [.socket],
    examples: [Example(line: "errand redeliver agent-a", says: "prints how many events are sent once more")],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    guard arguments.positionals.count == 1 else { throw .usage("one NAME is needed") }
    let control = ControlClient(arguments)
    let path = "/v1/delegates/" + FormEncoding.percentEncode(arguments.positionals[0]) + "/redeliver"
    Output.line("\(try control.json(control.request(.post, path))["redelivered"]?.int ?? 0) redelivered")
    return .ok
  }
}
