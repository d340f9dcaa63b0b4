/// Reads an event stream (WHATWG HTML 9.2) from pieces of any size.
struct EventStream: Sendable {
  struct Event: Sendable, Equatable {
    var id = ""
    var type = ""
    var data = ""
  }

  /// The id of the last event that was complete.
  private(set) var lastID = ""
  /// How long the server wants a client to wait before it connects again.
  private(set) var retryMilliseconds: Int64?
  private var line: [UInt8] = []
  private var sawReturn = false
  private var event = Event()
  private var hasData = false

  init(lastID: String = "") {
    self.lastID = lastID
  }

  /// The events that `bytes` completed.
  mutating func take(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    for byte in bytes {
      if byte == 0x0a, sawReturn {
        sawReturn = false
      } else if byte == 0x0a || byte == 0x0d {
        sawReturn = byte == 0x0d
        if let event = endLine() { events.append(event) }
      } else {
        sawReturn = false
        line.append(byte)
      }
    }
    return events
  }

  /// What came of an event that is not complete is forgotten: it comes again on the next connection.
  mutating func connectionEnded() {
    line = []
    sawReturn = false
    event = Event()
    hasData = false
  }

  /// The events to come are numbered from the beginning.
  mutating func beginAnew() {
    connectionEnded()
    lastID = ""
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let name = line[..<(colon ?? line.endIndex)]
    var value = line[(colon.map { $0 + 1 } ?? line.endIndex)...]
    if value.first == 0x20 { value.removeFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: name, as: UTF8.self) {
    case "id": event.id = text
    case "event": event.type = text
    case "data":
      event.data += hasData ? "\n" + text : text
      hasData = true
    case "retry": retryMilliseconds = Int64(text) ?? retryMilliseconds
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> Event? {
    defer {
      event = Event()
      hasData = false
    }
    if !event.id.isEmpty { lastID = event.id }
    return hasData ? event : nil
  }
}
