internal import Synchronization

/// A redirect that a delegate may inspect, change or stop. Any thread, now or later; the first answer counts. One that is let go without an
/// answer is followed.
public final class Redirection: Sendable {
  public let hop: RedirectHop
  /// What is sent next: without the fields that were for another origin only.
  public let request: HttpRequest
  private let answer: @Sendable (HttpRequest?) -> Void
  private let isAnswered = Atomic<Bool>(false)

  init(_ hop: RedirectHop, _ request: HttpRequest, answer: @escaping @Sendable (HttpRequest?) -> Void) {
    self.hop = hop
    self.request = request
    self.answer = answer
  }

  deinit { follow() }

  /// Goes on, with `request` changed or as it is.
  public func follow(_ changed: HttpRequest? = nil) {
    if !isAnswered.exchange(true, ordering: .acquiringAndReleasing) { answer(changed ?? request) }
  }

  /// Does not go on: the response that sends elsewhere is the outcome.
  public func stop() {
    if !isAnswered.exchange(true, ordering: .acquiringAndReleasing) { answer(nil) }
  }
}
