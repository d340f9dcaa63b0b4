internal import HttpWire

/// All that is known of one request.
enum RequestPage {
  static func write(_ request: JsonValue) {
    var rest = request.object ?? JsonObject()
    rest["timeline"] = nil
    if let headers = rest["headers"]?.array {
      // One header field on each line.
      rest["headers"] = .object(JsonObject(headers.map { .init(key: $0[0]?.string ?? "", value: $0[1] ?? .null) }))
    }
    for line in Fields.lines(.object(rest)) { Output.line(line) }
    writeTimeline(request)
  }

  static func writeTimeline(_ request: JsonValue) {
    guard let steps = request["timeline"]?.array, !steps.isEmpty else { return }
    var table = Table(["TIME", "EVENT", "NOTE"], rightAligned: [0])
    for step in steps {
      table.add(
        .init(step["at_us"]?.int.map { Text.duration(microseconds: $0) }), .init(step["event"]?.string), .init(step["note"]?.string ?? ""))
    }
    Output.line("")
    table.write()
  }
}
