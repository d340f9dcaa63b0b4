internal import Errand
internal import HttpWire

extension Command {
  private static let scopeOptions: [Option] = [
    Option("tag", nil, "N", "requests with this tag"),
    Option("key", nil, "KEY", "requests with this key"),
    Option("key-prefix", nil, "PREFIX", "requests whose key begins so"),
    Option("delegate", nil, "NAME", "requests for this delegate"),
    Option("host", nil, "HOST", "requests to this host"),
    Option("all", "every request"),
    .socket,
  ]

  static let pause = Command(
    name: "pause", theme: .tracked, summary: "Hold what matches a scope and is not sent yet.",
    synopsis: ["[OPTIONS] --tag N | --key K | --key-prefix P | --delegate NAME | --host HOST | --all"],
    details: """
      Requests that are submitted later and match are held, too, until errand resume with the same scope. What is being sent goes on. A restart of the \
      daemon ends all pauses.
      """,
    options: scopeOptions,
    examples: [Example(line: "errand pause --host localhost", says: "nothing new goes there; prints how many requests are held")],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    Output.line("\(try changeScope(arguments, "/v1/pause")["held"]?.int ?? 0) held")
    return .ok
  }

  static let resume = Command(
    name: "resume", theme: .tracked, summary: "Let go on what was held by errand pause with the same scope.",
    synopsis: ["[OPTIONS] --tag N | --key K | --key-prefix P | --delegate NAME | --host HOST | --all"],
    details: "Requests that another pause holds as well, or whose time has not come, stay held.",
    options: scopeOptions,
    examples: [Example(line: "errand resume --host localhost", says: "prints how many requests go on")],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    Output.line("\(try changeScope(arguments, "/v1/resume")["resumed"]?.int ?? 0) resumed")
    return .ok
  }

  static let prioritize = Command(
    name: "prioritize", theme: .tracked, summary: "Change the priority of a request that waits for its turn.",
    synopsis: ["[OPTIONS] PRIORITY HANDLE…"],
    details: "From -128 to 127: higher ones of the same owner and host go first. After -- a priority may begin with a minus.",
    options: [.socket],
    examples: [Example(line: "errand prioritize 10 1042", says: "before the others")],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused, .noSuchHandle]
  ) { (arguments) throws(Failure) in
    guard let text = arguments.positionals.first, let priority = Int8(text) else {
      throw .usage("PRIORITY must be a number from -128 to 127")
    }
    guard arguments.positionals.count > 1 else { throw .usage("HANDLE is missing") }
    let control = ControlClient(arguments)
    for handle in arguments.positionals.dropFirst() {
      let body = Array("{\"priority\": \(priority)}".utf8)
      _ = try control.json(control.request(.patch, HandlePath.of(handle), body: .json(body)))
    }
    return .ok
  }

  private static func changeScope(_ arguments: Arguments, _ path: String) throws(Failure) -> JsonValue {
    try arguments.none()
    guard let scope = try CancelScopeOptions.json(arguments) else { throw .usage("a scope is missing, such as --tag or --all") }
    let control = ControlClient(arguments)
    return try control.json(control.request(.post, path, body: .json(Array(scope.description.utf8))))
  }
}
