internal import Errand
internal import HttpWire

extension Command {
  static let ack = Command(
    name: "ack", theme: .following, summary: "Acknowledge a delegate's events: the daemon need not keep them any more.",
    synopsis: ["[OPTIONS] DELEGATE SEQ|all"],
    details: """
      Events up to and with the number SEQ are done with, and do not come again; all is those that there are now. errand watch --ack does \
      so with each event that it prints.
      """,
    options: [.jsonOutput, .socket],
    examples: [
      Example(line: "errand ack agent-a 120", says: "the events up to number 120"),
      Example(line: "errand ack agent-a all", says: "every event that there is now"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused]
  ) { (arguments) throws(Failure) in
    guard let delegate = arguments.positionals.first else { throw .usage("DELEGATE is missing") }
    guard arguments.positionals.count > 1 else { throw .usage("SEQ is missing: the number of an event, or all") }
    let wanted = arguments.positionals[1]
    guard arguments.positionals.count == 2 else { throw .usage("\"\(arguments.positionals[2])\" is one argument too many") }
    guard wanted == "all" || Int64(wanted).map({ $0 >= 0 }) ?? false else {
      throw .usage("SEQ: \"\(wanted)\" is neither the number of an event nor all")
    }
    let control = ControlClient(arguments)
    let path = "/v1/delegates/" + FormEncoding.percentEncode(delegate)
    var through = Int64(wanted)
    if through == nil { through = try control.json(control.request(.get, path))["last_seq"]?.int }
    guard let through else { throw Failure(.failure, "the daemon's answer has no last_seq") }
    let state = try control.json(control.request(.post, path + "/ack", body: .json(Array("{\"through\":\(through)}".utf8))))
    if arguments.has("json") {
      Output.line(state.description)
    } else {
      let acked = state["acked"]?.int ?? through
      Output.line(Text.printable("the events of \(delegate) up to \(acked) are acknowledged, \(state["pending"]?.int ?? 0) pending"))
    }
    return .ok
  }
}
