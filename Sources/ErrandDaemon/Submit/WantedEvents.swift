internal import Errand
internal import HttpWire

/// The events that a request asks for before its outcome.
struct WantedEvents: OptionSet, Sendable {
  let rawValue: UInt8
  static let started = WantedEvents(rawValue: 1)
  static let redirected = WantedEvents(rawValue: 2)
  static let progress = WantedEvents(rawValue: 4)

  /// By their names in `events`.
  enum Name: String, CaseIterable {
    case started, redirected, progress

    var event: WantedEvents {
      switch self {
      case .started: .started
      case .redirected: .redirected
      case .progress: .progress
      }
    }
  }

  /// Reads `events` of a request.
  static func read(_ value: JsonValue) throws(Problem) -> WantedEvents {
    guard case .array(let elements) = value else { throw .wrongType("/events", expected: "an array of names of events", found: value) }
    var events: WantedEvents = []
    for (index, element) in elements.enumerated() {
      let name: Name = try FieldReader.choice(element, "/events/\(index)")
      events.insert(name.event)
    }
    return events
  }

  /// What the client has to tell for them; progress is looked at.
  var interests: RequestInterests {
    var interests: RequestInterests = []
    if contains(.started) { interests.insert(.started) }
    if contains(.redirected) { interests.insert(.redirects) }
    return interests
  }
}
