internal import HttpWire

/// All that is known of one request.
enum RequestPage {
  /// So much of a body is shown.
  private static let excerpt = 300

  static func write(_ request: JsonValue) {
    var fields = request.object ?? JsonObject()
    let event = fields["event"]
    fields["event"] = nil
    fields["timeline"] = nil
    if let message = event?["error"]?["message"] { fields["message"] = message }
    if let code = event?["error"]?["service_code"], !code.isNull { fields["service_code"] = code }
    if let receipt = event?["receipt"] { fields["receipt"] = receipt }
    for line in Fields.lines(.object(fields)) { Output.line(line) }
    if let event, event["status"] != nil { writeResponse(event, handle: request["handle"]?.string ?? "HANDLE") }
    writeTimeline(request)
  }

  private static func writeResponse(_ event: JsonValue, handle: String) {
    Output.line("\n" + Style.bold("RESPONSE"))
    for field in event["headers"]?.array ?? [] {
      Output.line(Text.onOneLine("\(field[0]?.string ?? ""): \(field[1]?.string ?? "")"))
    }
    guard let text = event["body"]?.string ?? event["data"]?.description else {
      if let count = event["body_bytes"]?.int { Output.line("\n\(Text.bytes(count)): errand show \(handle) --body") }
      return
    }
    let shown = text.prefix(excerpt)
    Output.line("\n" + Text.printable(String(shown)))
    if shown.endIndex != text.endIndex { Output.line("… all of it: errand show \(handle) --body") }
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
