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
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused] + ExitCode.signals
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
    var lines: [String] = []
    // What a person looks for comes first: a small terminal cuts off the end.
    let members = stats.object?.members ?? []
    let alone = JsonObject(members.filter { $0.value.object == nil })
    var groups = members.compactMap { member in member.value.object.map { (member.key, $0) } } + [("errandd", alone)]
    groups = groups.filter { $0.0 == "requests" } + groups.filter { $0.0 != "requests" }
    for (name, group) in groups {
      let urgent = ["in_flight", "queued"].compactMap { name in group.members.first { $0.key == name } }
      let ordered = JsonObject(urgent + group.members.filter { member in !urgent.contains { $0.key == member.key } })
      lines += laidOut(name, Fields.flatten(.object(ordered), under: "").map { figure(name: $0.0, $0.1) }, width: width)
    }
    lines.append("")
    var table = RequestTable()
    table.add(running)
    return lines + table.lines(width: width)
  }

  /// A group's figures, on as many lines as they need.
  private func laidOut(_ title: String, _ figures: [String], width: Int?) -> [String] {
    let column = 12
    var lines: [String] = []
    var line = EventLine.padded(title, column)
    var isEmpty = true
    for figure in figures {
      if let width, !isEmpty, line.count + 2 + figure.count > width {
        lines.append(line)
        line = String(repeating: " ", count: column)
        isEmpty = true
      }
      line += isEmpty ? figure : "  " + figure
      isEmpty = false
    }
    return (lines + [line]).map { Text.cut($0, to: width ?? .max) }
  }

  private func figure(name: String, _ value: String) -> String {
    // Here there is room for the words only.
    let words = value.firstIndex(of: "(").map { value[value.index(after: $0)...].dropLast() }
    return "\(name.hasSuffix("_us") ? String(name.dropLast(3)) : name) \(words.map(String.init) ?? value)"
  }
}
