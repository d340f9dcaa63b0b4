internal import HttpWire

/// What follows from an answer that is not the last.
enum FollowUp: Sendable {
  /// The same again, after a wait.
  case retry(after: Duration)
  /// It is asked elsewhere.
  case redirect(RedirectTarget)

  /// It may turn out that nothing follows: then the answer is the outcome after all.
  func keepsAnswer(_ interests: RequestInterests) -> Bool {
    switch self {
    case .retry: false
    case .redirect: interests.contains(.redirects)
    }
  }
}
