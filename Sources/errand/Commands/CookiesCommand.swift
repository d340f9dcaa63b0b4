internal import Errand
internal import Glibc
internal import HttpWire

extension Command {
  static let cookies = Command(
    name: "cookies", theme: .tracked, summary: "Look at the cookies that the daemon keeps for you, and change them.",
    synopsis: [
      "[--domain NAME] [--json | --export]", "--set NAME=VALUE --domain NAME [--path PATH]",
      "--delete[=NAME] [--domain NAME] [--path PATH]", "--import FILE",
    ],
    details: """
      Requests use them that are submitted with "cookies": true (errand submit --cookies). Without an option that changes them they are listed, those \
      of one domain and of all below it with --domain. --export and --import speak the format of cookies.txt.
      """,
    options: [
      Option("domain", nil, "NAME", "of this host, and those below it"),
      Option("path", nil, "PATH", "the cookie's path (default: /)"),
      Option("set", nil, "NAME=VALUE", "set a cookie of a host, until the daemon ends"),
      Option("delete", nil, value: .optional("NAME"), "delete the cookie of that name and host; without a name all, or those of --domain"),
      Option("export", "print them as a cookies.txt"),
      Option("import", nil, "FILE", "take in a cookies.txt; - is standard input"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand cookies --domain example.com", says: "which are sent there?"),
      Example(line: "errand cookies --set sid=1 --domain example.com", says: "one more"),
      Example(line: "errand cookies --delete=sid --domain example.com", says: "one less"),
      Example(line: "errand cookies --export > cookies.txt", says: "for curl -b"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    try arguments.none()
    let changes = ["set", "delete", "import", "export"].filter(arguments.has)
    if changes.count > 1 { throw .usage("--\(changes[0]) and --\(changes[1]) contradict each other") }
    let control = ControlClient(arguments)
    switch changes.first {
    case "set": try setCookie(arguments, control)
    case "delete": try deleteCookies(arguments, control)
    case "import":
      var bytes: [UInt8] = []
      try File.read(arguments.value("import") ?? "-", option: "import") { bytes += $0 }
      let body = HttpBody.bytes(bytes, contentType: "text/plain")
      Output.line(try control.json(control.request(.put, "/v1/cookies", body: body)).description)
    case "export":
      var request = control.request(.get, "/v1/cookies", query: query(arguments, ["domain"]))
      request.headers.append("Accept", "text/plain")
      Output.write(try control.call(request).body)
    default: try listCookies(arguments, control)
    }
    return .ok
  }

  private static func query(_ arguments: Arguments, _ names: [String]) -> [(String, String)] {
    names.compactMap { name in arguments.value(name).map { (name, $0) } }
  }

  private static func setCookie(_ arguments: Arguments, _ control: ControlClient) throws(Failure) {
    let (name, value) = try arguments.pairs("set")[0]
    guard let domain = arguments.value("domain") else { throw .usage("--set: needs --domain beside it") }
    var cookie = JsonObject()
    cookie["name"] = .string(name)
    cookie["value"] = .string(value)
    cookie["domain"] = .string(domain)
    if let path = arguments.value("path") { cookie["path"] = .string(path) }
    var bytes: [UInt8] = []
    JsonValue.object(cookie).write(to: &bytes)
    _ = try control.json(control.request(.put, "/v1/cookies", body: .json(bytes)))
  }

  private static func deleteCookies(_ arguments: Arguments, _ control: ControlClient) throws(Failure) {
    var query = query(arguments, ["domain", "path"])
    if let name = arguments.value("delete"), !name.isEmpty { query.append(("name", name)) }
    Output.line(try control.json(control.request(.delete, "/v1/cookies", query: query)).description)
  }

  /// In UTC, such as `2026-11-30 22:15`.
  private static func date(_ seconds: Int64) -> String {
    var (time, parts, text) = (time_t(seconds), tm(), [CChar](repeating: 0, count: 32))
    guard gmtime_r(&time, &parts) != nil, strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts) > 0 else { return "\(seconds)" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func listCookies(_ arguments: Arguments, _ control: ControlClient) throws(Failure) {
    let answer = try control.json(control.request(.get, "/v1/cookies", query: query(arguments, ["domain"])))
    let cookies = answer["cookies"]?.array ?? []
    if arguments.has("json") {
      for cookie in cookies { Output.line(cookie.description) }
      return
    }
    guard !cookies.isEmpty else { return Output.note("there are no cookies") }
    var table = Table(["DOMAIN", "PATH", "NAME", "EXPIRES", "FOR", "VALUE"])
    for cookie in cookies {
      let flags = ["secure", "http_only", "host_only"].filter { cookie[$0]?.bool == true }.joined(separator: " ")
      table.add(
        .init(cookie["domain"]?.string), .init(cookie["path"]?.string), .init(cookie["name"]?.string),
        .init(cookie["expires"]?.int.map(date)), .init(flags), .init(cookie["value"]?.string))
    }
    table.write()
  }
}
