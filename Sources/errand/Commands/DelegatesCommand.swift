internal import Errand
internal import HttpWire

extension Command {
  static let delegates = Command(
    name: "delegates", theme: .following, summary: "List the delegates, and how far each has read its events.",
    synopsis: ["[OPTIONS]"],
    details: """
      PENDING events wait to be acknowledged: a follower that comes gets them. ACKED is the last one that was acknowledged, LAST the newest. \
      DROPPED ones were too many or too old to be kept. FOLLOWERS are those connected now.
      """,
    options: [.jsonOutput, .socket],
    examples: [
      Example(line: "errand delegates", says: "who has not read its outcomes?"),
      Example(line: "errand delegates --json", says: "a JSON object on each line"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    let control = ControlClient(arguments)
    var delegates: [JsonValue] = []
    var cursor: String?
    repeat {
      let query = [("limit", "1000")] + (cursor.map { [("cursor", $0)] } ?? [])
      let page = try control.json(control.request(.get, "/v1/delegates", query: query))
      let rows = page["delegates"]?.array ?? []
      cursor = page["next"]?.string
      if arguments.has("json") { for row in rows { Output.line(row.description) } } else { delegates += rows }
    } while cursor != nil
    if arguments.has("json") { return .ok }
    guard !delegates.isEmpty else {
      Output.note("there is no delegate; the first request for one makes it")
      return .ok
    }
    var table = Table(["PENDING", "SIZE", "ACKED", "LAST", "DROPPED", "FOLLOWERS", "OWNER", "DELEGATE"], rightAligned: [0, 1, 2, 3, 4, 5])
    for delegate in delegates {
      let number = { (name: String) in Table.Cell(delegate[name]?.int.map(String.init)) }
      table.add(
        number("pending"), .init(delegate["pending_bytes"]?.int.map(Text.bytes)), number("acked"), number("last_seq"), number("dropped"),
        number("followers"), .init(delegate["owner"]?.string), .init(delegate["name"]?.string))
    }
    table.write()
    return .ok
  }
}
