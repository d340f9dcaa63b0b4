internal import Errand
internal import EventLoop
internal import Glibc
internal import HttpWire

extension Command {
  static let submit = Command(
    name: "submit", theme: .tracked, summary: "Hand a request to the daemon and print its handle.",
    synopsis: ["[OPTIONS] URL", "[--socket PATH] --ndjson FILE"],
    details: """
      The outcome goes to the delegate's mailbox, to be followed with errand watch. With --wait it is printed here, too: one line of JSON, \
      and the exit code tells how it ended (22 for a failing status). With --ndjson each line of the file is a request as the \
      daemon's API takes it; the answers are printed line by line in their order, and the exit code is 4 if one was refused.
      """,
    options: .requestWithKey + [
      Option("method", "X", "METHOD", "the method (default: GET, or POST with a body)"),
      Option("delegate", nil, "NAME", "whom the outcome is for"),
      Option("events", nil, "NAMES", "further events for the delegate: started, redirected, progress, with commas between them"),
      Option("tag", nil, "N", "a number that comes back with the outcome; also a scope to cancel"),
      Option("key", nil, "KEY", "a text that comes back with the outcome; also a scope to cancel"),
      Option("cookies", "send the cookies that the daemon keeps for you, and keep those that come"),
      Option("meta", nil, "JSON", "any JSON that comes back with the outcome"),
      Option("wait", nil, value: .optional("SECONDS"), "wait for the outcome (for at most SECONDS) and print it"),
      Option("idempotency-key", nil, "KEY", "handed over again under this key, the same request is taken once"),
      Option("not-before", nil, "TIME", "begin no earlier: 2026-12-01T12:00:00Z, or milliseconds since 1970"),
      Option("deadline", nil, "TIME", "fail if it is not done by then, whatever it waits for"),
      Option("durability", nil, "KIND", "journaled (kept over the end of the daemon) or volatile (default: the daemon's setting)"),
      Option("ndjson", nil, "FILE", "many requests, a JSON object on each line; - is standard input"),
      .socket,
    ],
    examples: [
      Example(line: "errand submit http://localhost:8080/items --delegate agent-a --tag 7", says: "prints the handle"),
      Example(
        line: "errand submit http://localhost:8080/items --json '{\"name\": \"lamp\"}' --wait=10", says: "a post; prints the outcome"),
      Example(line: "errand submit --ndjson requests.ndjson", says: "many at once"),
      Example(
        line: "printf '{\"url\": \"http://localhost:8080/%s\", \"delegate\": \"a\"}\\n' 1 2 3 | errand submit --ndjson -",
        says: "from another program"),
    ],
    exitCodes: ExitCode.allCases.filter { $0 != .noSuchHandle }
  ) { (arguments) throws(Failure) in
    let control = ControlClient(arguments)
    if let path = arguments.value("ndjson") {
      try arguments.none()
      return try NdjsonSubmission(control).run(path)
    }
    let json = try submission(arguments)
    guard arguments.has("wait") else {
      Output.line(try DaemonRun.submit(json, control))
      return .ok
    }
    let limit = arguments.value("wait") == "" ? nil : try arguments.seconds("wait")
    guard let event = try DaemonRun.outcome(of: json, control, within: limit) else {
      throw Failure(.timeout, "no outcome yet; the request goes on")
    }
    Output.line(event.description)
    return DaemonRun.exitCode(of: event)
  }

  private static func submission(_ arguments: Arguments) throws(Failure) -> JsonObject {
    var method: HttpMethod?
    if let text = arguments.value("method") {
      do throws(WireError) {
        method = try HttpMethod(text)
      } catch {
        throw .usage("--method: \(error.message)")
      }
    }
    let spec = try RequestSpec(arguments, method: method, keyOption: TlsArguments.keyOptionBesideKeys)
    if spec.cookies.jar != nil {
      throw .usage(
        "--cookie FILE and --cookie-jar: a request of the daemon's has no files of cookies; --cookies takes those that it keeps for you")
    }
    var json = try spec.submission()
    if let delegate = arguments.value("delegate") { json["delegate"] = .string(delegate) }
    if let names = arguments.value("events") {
      json["events"] = .array(names.split(separator: ",").map { .string(String($0)) })
    }
    if let tag = try arguments.integer("tag") { json["tag"] = .number(JsonNumber(tag)) }
    if let key = arguments.value("key") { json["key"] = .string(key) }
    for name in ["idempotency-key", "durability"] {
      if let value = arguments.value(name) { json[name.replacing("-", with: "_")] = .string(value) }
    }
    for name in ["not-before", "deadline"] {
      guard let value = arguments.value(name) else { continue }
      json[name.replacing("-", with: "_")] = JsonNumber(value).map { .number($0) } ?? .string(value)
    }
    if arguments.has("cookies") { json["cookies"] = .bool(true) }
    if let meta = arguments.value("meta") {
      do throws(JsonError) {
        json["meta"] = try JsonValue.parse(Array(meta.utf8))
      } catch {
        throw .usage("--meta: not JSON: \(error)")
      }
    }
    return json
  }
}

/// Passes lines on to the daemon as they come, many in one call, and its answers to standard output.
private struct NdjsonSubmission {
  /// A call takes so many bytes, or one line if that is longer.
  private static let batchBytes = 262_144
  private let control: ControlClient
  private var rest: [UInt8] = []
  private var hasRefusal = false

  init(_ control: ControlClient) {
    self.control = control
  }

  consuming func run(_ path: String) throws(Failure) -> ExitCode {
    var this = self
    try File.read(path, option: "ndjson") { (piece) throws(Failure) in try this.take(piece) }
    if !this.rest.isEmpty { try this.send(this.rest) }
    return this.hasRefusal ? .refused : .ok
  }

  private mutating func take(_ piece: [UInt8]) throws(Failure) {
    let end = piece.lastIndex(of: 0x0a)
    guard let end else {
      rest += piece
      return
    }
    let lines = rest + piece[...end]
    rest = Array(piece[(end + 1)...])
    try send(lines)
  }

  private mutating func send(_ lines: [UInt8]) throws(Failure) {
    let body = HttpBody.bytes(lines, contentType: "application/x-ndjson")
    let response = try control.call(control.request(.post, "/v1/requests", body: body, waits: true))
    Output.write(response.body.last == 0x0a ? response.body : response.body + [0x0a])
    for line in response.body.split(separator: 0x0a) where !hasRefusal {
      hasRefusal = (try? ControlClient.parse(Array(line)))?["handle"] == nil
    }
  }
}
