internal import HttpWire

/// One event of a delegate as a compact line.
enum EventLine {
  static func text(_ event: JsonValue) -> String {
    let type = event["type"]?.string ?? "event"
    if type == "dropped" {
      return "events \(event["from"]?.int ?? 0) to \(event["through"]?.int ?? 0) were dropped before they were read"
    }
    let seq = event["seq"]?.int.map(String.init) ?? "-"
    let handle = event["handle"]?.string ?? "-"
    var words = [padded(handle, 6), padded(result(event), 20)]
    if let total = event["timings"]?["total_us"]?.int { words.append(padded(Text.duration(microseconds: total), 8)) }
    if let tag = event["tag"]?.int { words.append("tag=\(tag)") }
    if let key = event["key"]?.string { words.append("key=\(key)") }
    if let url = event["from"]?.string ?? event["url"]?.string { words.append(url) }
    if let place = event["to"]?.string { words.append("-> \(event["method"]?.string ?? "") \(place)") }
    if let service = event["service"]?.string ?? event["origin"]?.string { words.append(service) }
    if let message = event["error"]?["message"]?.string ?? event["message"]?.string { words.append("(\(message))") }
    // The colour is ours, the rest is not.
    return "\(padded(seq, 5)) \(colored(Text.onOneLine(type))) \(Text.onOneLine(words.joined(separator: " ")))"
  }

  /// Status, error code or how far it is: what a person looks for first.
  private static func result(_ event: JsonValue) -> String {
    if event["type"] == "progress" { return progress(event) }
    if let error = event["error"] {
      let code = error["code"]?.string ?? "failed"
      if let status = error["status"]?.int, code == "http_status" { return "\(code) \(status)" }
      if let phase = error["phase"]?.string, code == "timeout" { return "\(code) \(phase)" }
      if let service = error["service_code"]?.string { return "\(code) \(service)" }
      return code
    }
    return event["status"]?.int.map(String.init) ?? event["receipt"]?["sent"]?.string ?? event["code"]?.string ?? "-"
  }

  /// What has come, or what has gone out while nothing has come.
  private static func progress(_ event: JsonValue) -> String {
    let way = event["downloaded"]?.int ?? 0 > 0 ? "down" : "up"
    let total = event[way + "load_total"]?.int.map { " of \(Text.bytes($0))" } ?? ""
    return "\(way) \(Text.bytes(event[way + "loaded"]?.int ?? 0))\(total)"
  }

  private static func colored(_ type: String) -> String {
    let text = padded(type, 9)
    return Style.forState(type)?(text) ?? text
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
