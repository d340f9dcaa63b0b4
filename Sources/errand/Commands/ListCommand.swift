internal import Errand
internal import HttpWire

extension Command {
  static let list = Command(
    name: "list", theme: .tracked, summary: "List the requests that the daemon knows, newest first.",
    synopsis: ["[OPTIONS]"],
    details: "Running requests and those whose result is still kept. Several filters mean requests that match all of them.",
    options: [
      Option("delegate", nil, "NAME", "requests for this delegate"),
      Option("tag", nil, "N", "requests with this tag"),
      Option("key", nil, "KEY", "requests with this key"),
      Option("key-prefix", nil, "PREFIX", "requests whose key begins so"),
      Option("host", nil, "HOST", "requests to this host"),
      Option("state", nil, "STATE", "requests in this state, such as queued, waiting, finished, failed, cancelled"),
      Option("limit", nil, "N", "at most N at a time (default: 100)"),
      Option("cursor", nil, "CURSOR", "go on where an earlier list ended"),
      Option("all", "everything, page after page"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand list --delegate agent-a --state failed", says: "what went wrong for one agent"),
      Example(line: "errand list --key-prefix crawl/ --all --json", says: "all of a job, a JSON object on each line"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    _ = try arguments.integer("tag")
    _ = try arguments.integer("limit", atLeast: 1)
    let control = ControlClient(arguments)
    var query: [(String, String)] = []
    for name in ["delegate", "tag", "key", "key-prefix", "host", "state", "limit"] {
      if let value = arguments.value(name) { query.append((name.replacing("-", with: "_"), value)) }
    }
    var cursor = arguments.value("cursor")
    var table = RequestTable()
    repeat {
      let page = try control.json(control.request(.get, "/v1/requests", query: query + (cursor.map { [("cursor", $0)] } ?? [])))
      let rows = page["requests"]?.array ?? []
      cursor = page["next"]?.string
      if arguments.has("json") { for row in rows { Output.line(row.description) } } else { table.add(rows) }
    } while arguments.has("all") && cursor != nil
    if !arguments.has("json") {
      if table.isEmpty { Output.note("no request matches") } else { table.write() }
    }
    if let cursor { Output.note("there are more: go on with --cursor \(cursor), or use --all") }
    return .ok
  }
}
