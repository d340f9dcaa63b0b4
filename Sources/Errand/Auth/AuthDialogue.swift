internal import HttpWire

/// How far a request has come with one who wants to know who is asking: its origin, or its proxy. Pure.
struct AuthDialogue: Sendable {
  /// What the exchange that is under way says.
  var said = AuthUse.nothing
  private var answers: UInt8 = 0
  private var renewals: UInt8 = 0

  /// Challenges that one request answers, those about a stale nonce not counted.
  static let maximumAnswers: UInt8 = 3
  /// Nonces in a row that may be stale as they are used.
  static let maximumRenewals: UInt8 = 8

  /// What to answer to a challenge; nil if everything that the credentials could say was said, and was not enough.
  ///
  /// `wasSentOnce`: the request went out in one attempt. The server may have seen a nonce's use in an attempt before, and then refuses to see it again.
  mutating func answer(to challenges: [AuthChallenge], with credentials: HttpCredentials, wasSentOnce: Bool) -> AuthChoice? {
    guard said != .own, let choice = AuthChoice.best(of: challenges, for: credentials) else { return nil }
    switch choice {
    case .basic:
      if said == .basic { return nil }
    case .digest(let digest):
      if digest.isStale, said.isDigest {
        // The password was right.
        guard renewals < AuthDialogue.maximumRenewals else { return nil }
        renewals += 1
        return choice
      }
      if case .digest(_, isFresh: true) = said, wasSentOnce { return nil }
    }
    guard answers < AuthDialogue.maximumAnswers else { return nil }
    answers += 1
    return choice
  }
}

/// The same with all whom a request deals with.
struct AuthProgress: Sendable {
  var origin = AuthDialogue()
  var proxy = AuthDialogue()
  /// Attempts before the exchange that is under way.
  var attemptsBefore = 0
  /// Its token was rejected once, and it got a new one.
  var hasNewToken = false
  var timesAsked = 0
  /// Why the answer is the last, for the error.
  var words: String?
  /// What it waits for, for people.
  var waiting: String?

  /// How often a delegate is asked about one request.
  static let maximumAsked = 5

  /// What is said is good for one attempt, and there was one: another counts as a further use (RFC 7616 section 3.4).
  func isUsedUp(after attempts: Int) -> Bool { attempts > attemptsBefore && (origin.said.isDigest || proxy.said.isDigest) }

  /// The next exchange is ready.
  mutating func took(_ uses: AuthUses, attempts: Int) {
    origin.said = uses.origin
    proxy.said = uses.proxy
    attemptsBefore = attempts
    words = nil
    waiting = nil
  }

  /// It is asked elsewhere, where everything begins anew.
  mutating func went() {
    origin = AuthDialogue()
    proxy = AuthDialogue()
    hasNewToken = false
    words = nil
  }
}
