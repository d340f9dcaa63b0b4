internal import Dispatch
internal import Errand
internal import Glibc
internal import HttpWire

extension Command {
  static let top = Command(
    name: "top", theme: .following, summary: "Show the daemon's figures and running requests, again and again.",
    synopsis: ["[--interval SECONDS] [--once]"],
    details: "Where the output is no terminal it is shown once. Ctrl-C ends it.",
    options: [
      Option("interval", "n", "SECONDS", "time between two looks (default: 1)"),
      Option("once", "show it once, for scripts"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand top", says: "on a terminal"),
      Example(line: "errand top --once --json", says: "one JSON object with stats and requests"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused, .interrupted]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    let interval = max(.milliseconds(100), try arguments.seconds("interval") ?? .seconds(1))
    let control = ControlClient(arguments)
    if arguments.has("json") || arguments.has("once") || Terminal.size == nil {
      try TopView(control).once(isJson: arguments.has("json"))
      return .ok
    }
    while true {
      try TopView(control).draw()
      let milliseconds = Int(interval.components.seconds) * 1_000 + Int(interval.components.attoseconds / 1_000_000_000_000_000)
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(milliseconds))
    }
  }
}

private struct TopView {
  let stats: JsonValue
  let running: [JsonValue]

  init(_ control: ControlClient) throws(Failure) {
    stats = try control.json(control.request(.get, "/v1/stats"))
    running =
      try control.json(control.request(.get, "/v1/requests", query: [("state", "running"), ("limit", "200")]))["requests"]?.array ?? []
  }

  func once(isJson: Bool) {
    if isJson {
      Output.line(
        JsonValue.object(JsonObject([.init(key: "stats", value: stats), .init(key: "requests", value: .array(running))])).description)
    } else {
      Output.line(lines(width: nil).joined(separator: "\n"))
    }
  }

  /// Over the last picture, so that nothing flickers.
  func draw() {
    let size = Terminal.size ?? (80, 24)
    var shown = lines(width: size.columns)
    if shown.count >= size.rows { shown = Array(shown.prefix(max(1, size.rows - 1))) }
    Output.write(Array(("\u{1B}[H" + shown.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J").utf8))
  }

  private func lines(width: Int?) -> [String] {
    let figures = Fields.flatten(stats, under: "").filter { Int64($0.1.prefix { $0 != " " }) != nil }
    var lines: [String] = []
    var line = ""
    for (name, value) in figures {
      let figure = "\(name) \(value)"
      if !line.isEmpty, line.count + figure.count + 3 > width ?? Help.width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? figure : "   " + figure
    }
    lines += [line, ""]
    var table = RequestTable()
    table.add(running)
    return lines + table.lines(width: width)
  }
}
