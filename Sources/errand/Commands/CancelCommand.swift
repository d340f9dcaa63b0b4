internal import Errand
internal import HttpWire

extension Command {
  static let cancel = Command(
    name: "cancel", theme: .tracked, summary: "Cancel requests by handle, or all that match a scope.",
    synopsis: ["[OPTIONS] HANDLE…", "[OPTIONS] --tag N | --key K | --key-prefix P | --delegate NAME | --host HOST | --all"],
    details: """
      Each gets a receipt: whether it was cancelled, what of it was sent, and what became of its connection. A scope with several parts is \
      those requests that match all of them. A request that has ended already is told and is no failure.
      """,
    options: [
      Option("tag", nil, "N", "requests with this tag"),
      Option("key", nil, "KEY", "requests with this key"),
      Option("key-prefix", nil, "PREFIX", "requests whose key begins so"),
      Option("delegate", nil, "NAME", "requests for this delegate"),
      Option("host", nil, "HOST", "requests to this host"),
      Option("all", "every request that has not ended"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand cancel 1042 1043", says: "two requests"),
      Example(line: "errand cancel --delegate agent-a --key-prefix crawl/", says: "a part of what an agent started"),
      Example(line: "errand cancel --all --json", says: "everything; a receipt on each line"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused, .noSuchHandle]
  ) { (arguments) throws(Failure) in
    let scope = try CancelScopeOptions.json(arguments)
    let control = ControlClient(arguments)
    var receipts: [JsonValue] = []
    if let scope {
      try arguments.none()
      let answer = try control.json(control.request(.post, "/v1/cancel", body: .json(Array(scope.description.utf8))))
      receipts = answer["receipts"]?.array ?? []
    } else {
      guard !arguments.positionals.isEmpty else { throw .usage("HANDLE is missing, or a scope such as --tag or --all") }
    }
    var unknown: [Failure] = []
    for handle in arguments.positionals {
      do throws(Failure) {
        receipts.append(try control.json(control.request(.delete, HandlePath.of(handle))))
      } catch {
        guard error.code == .noSuchHandle else { throw error }
        unknown.append(error)
      }
    }
    ReceiptTable.write(receipts, isJson: arguments.has("json"))
    for failure in unknown.dropLast() { Output.note(failure.message) }
    if let last = unknown.last { throw last }
    return .ok
  }
}

/// The parts of a scope as the API takes them.
enum CancelScopeOptions {
  /// nil if none is given.
  static func json(_ arguments: Arguments) throws(Failure) -> JsonValue? {
    var scope = JsonObject()
    if let tag = try arguments.integer("tag") { scope["tag"] = .number(JsonNumber(tag)) }
    for (option, member) in [("key", "key"), ("key-prefix", "key_prefix"), ("delegate", "delegate"), ("host", "host")] {
      if let value = arguments.value(option) { scope[member] = .string(value) }
    }
    if arguments.has("all") {
      guard scope.isEmpty else { throw .usage("--all and --\(scope.members[0].key.replacing("_", with: "-")) contradict each other") }
      scope["all"] = true
    }
    return scope.isEmpty ? nil : .object(scope)
  }
}

enum ReceiptTable {
  static func write(_ receipts: [JsonValue], isJson: Bool) {
    if isJson {
      for receipt in receipts { Output.line(receipt.description) }
      return
    }
    guard !receipts.isEmpty else { return Output.note("nothing matched") }
    var table = Table(["HANDLE", "RESULT", "WHAT WAS DONE"], rightAligned: [0])
    for receipt in receipts {
      let result = receipt["result"]?.string ?? "-"
      let isCancelled = result == "cancelled"
      let words = ReceiptText.describe(
        sent: receipt["sent"]?.string, bytesWritten: receipt["bytes_written"]?.int, connection: receipt["connection"]?.string)
      table.add(
        .init(receipt["handle"]?.string), .init(result.replacing("_", with: " "), isCancelled ? .yellow : .dim),
        .init(isCancelled ? words : "it had ended before"))
    }
    table.write()
  }
}

enum HandlePath {
  static func of(_ handle: String, _ part: String = "") -> String {
    "/v1/requests/" + FormEncoding.percentEncode(handle) + part
  }
}
