internal import Errand
internal import EventLoop
internal import HttpWire

extension Command {
  static let watch = Command(
    name: "watch", theme: .following, summary: "Follow the outcomes and other events that come for a delegate.",
    synopsis: ["[OPTIONS] DELEGATE"],
    details: """
      Prints each event once, from the oldest that was not acknowledged. When the connection to the daemon is lost, it connects again and \
      goes on after the last event that it printed; standard error tells so, and whether the daemon was started anew, which keeps requests \
      and events in memory only. It ends with --count, Ctrl-C or another signal.
      """,
    options: [
      Option("after", nil, "SEQ", "begin after the event with this number"),
      Option("ack", "acknowledge events when they are printed: the daemon need not keep them, and they do not come again"),
      Option("count", "n", "N", "end after N events"),
      .jsonOutput, .socket,
    ],
    examples: [
      Example(line: "errand watch agent-a", says: "a line for each event, as it comes"),
      Example(line: "errand watch agent-a --json --ack | jq .data", says: "for a program that takes them over"),
      Example(line: "errand watch agent-a --after 120 --count 10", says: "the ten after number 120"),
    ],
    exitCodes: [.ok, .failure, .usage, .noDaemon, .refused] + ExitCode.signals
  ) { (arguments) throws(Failure) in
    let delegate = try arguments.single("DELEGATE")
    let after = try arguments.integer("after", atLeast: 0).map(String.init)
    let control = ControlClient(arguments)
    let printer = EventPrinter(left: try arguments.integer("count", atLeast: 1), isJson: arguments.has("json"))
    let acknowledge = arguments.has("ack") ? Acknowledging(control, delegate) : nil
    let follower = EventFollower(control, delegate: delegate, after: after, afterPiece: { acknowledge?.through($0) }) { event in
      printer.print(event) ? .goOn : .stop
    }
    try follower.run()
    return .ok
  }
}

/// Prints a stream's events, up to a number of them.
private final class EventPrinter: Sendable {
  private let left: Locked<Int?>
  private let isJson: Bool

  init(left: Int?, isJson: Bool) {
    self.left = Locked(left)
    self.isJson = isJson
  }

  /// False when that was the last one.
  func print(_ event: EventStream.Event) -> Bool {
    if isJson {
      Output.line(event.data)
    } else if let value = try? ControlClient.parse(Array(event.data.utf8)) {
      Output.line(EventLine.text(value))
    } else {
      Output.line(Text.onOneLine(event.data))
    }
    return left.withLock { left in
      guard let count = left else { return true }
      left = count - 1
      return count > 1
    }
  }
}

/// Tells the daemon how far a delegate's events have been taken.
private struct Acknowledging: Sendable {
  private let control: ControlClient
  private let path: String

  init(_ control: ControlClient, _ delegate: String) {
    self.control = control
    path = "/v1/delegates/\(FormEncoding.percentEncode(delegate))/ack"
  }

  /// That it fails is told and no more: the events then come again.
  func through(_ id: String) {
    guard let seq = Int64(id) else { return }
    do throws(Failure) {
      _ = try control.call(control.request(.post, path, body: .json(Array("{\"through\":\(seq)}".utf8))))
    } catch {
      Output.note("events up to \(seq) are not acknowledged: \(error.message)")
    }
  }
}
