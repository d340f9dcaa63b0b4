public import HttpWire
internal import Synchronization

/// A server that wants to know who is asking (401), for a delegate to answer: on any thread, now or later; the first answer counts. One that is
/// let go without an answer is answered with `proceedWithout`.
public final class AuthenticationChallenge: Sendable {
  /// What was asked.
  public let url: String
  public let method: HttpMethod
  /// What the server offers, in its order; empty if it does not say.
  public let challenges: [AuthChallenge]
  /// How often this request's delegate has answered before, and was refused.
  public let previousFailures: Int
  private let reply: @Sendable (ChallengeAnswer) -> Void
  private let isAnswered = Atomic<Bool>(false)

  init(
    url: String, method: HttpMethod, challenges: [AuthChallenge], previousFailures: Int,
    reply: @escaping @Sendable (ChallengeAnswer) -> Void
  ) {
    self.url = url
    self.method = method
    self.challenges = challenges
    self.previousFailures = previousFailures
    self.reply = reply
  }

  deinit { answer(.proceedWithout) }

  /// Goes on as the answer says.
  public func answer(_ answer: ChallengeAnswer) {
    if !isAnswered.exchange(true, ordering: .acquiringAndReleasing) { reply(answer) }
  }
}

/// What a delegate says to an ``AuthenticationChallenge``.
public enum ChallengeAnswer: Sendable, Hashable {
  /// The request is sent again with these, in place of what it had, and not to another origin.
  case use(HttpCredentials)
  /// The 401 is the outcome.
  case proceedWithout
  /// The request is cancelled.
  case cancel
}
