internal import HttpWire

/// What follows from an answer that wants to know who is asking.
enum AuthStep: Sendable {
  /// The same again, with the answer to the origin's challenge.
  case origin(AuthChoice)
  /// The same again, with the answer to the proxy's.
  case proxy(AuthChoice)
  /// The same again with a token that is not this one.
  case token(rejected: String)
  /// The delegate is asked.
  case ask([AuthChallenge])

  /// It may turn out that nothing follows.
  var keepsAnswer: Bool {
    switch self {
    case .origin, .proxy: false
    case .token, .ask: true
    }
  }
}
