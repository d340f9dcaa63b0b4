internal import Errand
internal import EventLoop
internal import HttpWire

/// Which requests a list shows: those that match each part given.
@LoopActor
struct RequestFilter {
  private static let states: Set<String> = [
    "queued", "held", "connecting", "sending", "waiting", "receiving", "backing_off", "finished", "failed", "cancelled", "running", "ended",
  ]

  private let delegate: String?
  private let tag: Int?
  private let key: String?
  private let keyPrefix: String?
  private let host: String?
  private let state: String?

  init(_ query: inout QueryReader) throws(Problem) {
    delegate = try query.text("delegate")
    tag = try query.integer("tag", Int.min...Int.max)
    key = try query.text("key")
    keyPrefix = try query.text("key_prefix")
    host = try query.text("host").map { $0.lowercased() }
    state = try query.text("state")
    if let state, !RequestFilter.states.contains(state) {
      throw .invalidValue("state", "must be one of \(RequestFilter.states.sorted().joined(separator: ", "))", place: "query")
    }
  }

  func matches(_ record: RequestRecord, _ core: DaemonCore) -> Bool {
    if let delegate, record.mailbox.id.name != delegate { return false }
    if let tag, record.tag != tag { return false }
    if let key, record.key != key { return false }
    if let keyPrefix, record.key?.utf8.starts(with: keyPrefix.utf8) != true { return false }
    if let host, !UrlHost.of(record.url, is: host) { return false }
    switch state {
    case nil: return true
    case "running": return record.result == nil
    case "ended": return record.result != nil
    case let state?: return core.state(record) == state
    }
  }
}
