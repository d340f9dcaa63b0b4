internal import HttpWire

/// Requests, one on each line.
struct RequestTable {
  private var table = Table(["HANDLE", "STATE", "RESULT", "TIME", "DELEGATE", "TAG", "KEY", "REQUEST"], rightAligned: [0, 3])

  var isEmpty: Bool { table.rows.isEmpty }

  mutating func add(_ requests: [JsonValue]) {
    for request in requests {
      let state = request["state"]?.string ?? "-"
      let time = (request["age_us"] ?? request["total_us"])?.int
      table.add(
        .init(request["handle"]?.string), .init(state, Style.forState(state)), .init(RequestTable.result(request)),
        .init(time.map { Text.duration(microseconds: $0) }), .init(request["delegate"]?.string),
        .init(request["tag"]?.int.map(String.init)), .init(request["key"]?.string),
        .init([request["method"]?.string, request["url"]?.string].compactMap { $0 }.joined(separator: " ")))
    }
  }

  func lines(width: Int? = Terminal.size?.columns) -> [String] { table.lines(width: width) }
  func write() { table.write() }

  private static func result(_ request: JsonValue) -> String? {
    let code = request["error"]?["code"]?.string ?? request["error"]?.string
    let status = request["status"]?.int.map(String.init)
    if let code { return code == "http_status" ? status ?? code : code }
    // What was sent of a cancelled request, as in errand watch.
    return status ?? (request["state"] == "cancelled" ? request["sent"]?.string : nil)
  }
}
