/// Colours of words that a person scans for.
enum Style: String {
  case bold = "1"
  case dim = "2"
  case red = "31"
  case green = "32"
  case yellow = "33"

  func callAsFunction(_ text: String) -> String {
    Terminal.hasColor ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }

  /// The colour of a request's state or an event's type.
  static func forState(_ state: String) -> Style? {
    switch state {
    case "finished": .green
    case "failed": .red
    case "cancelled": .yellow
    case "queued", "backing_off": .dim
    default: nil
    }
  }
}
