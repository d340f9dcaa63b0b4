internal import HttpWire

/// What follows from an answer that is not the last.
enum FollowUp: Sendable {
  /// The same again, after a wait.
  case retry(after: Duration)
  /// It is asked elsewhere.
  case redirect(RedirectTarget)
  /// The same again, of which only a part was asked for.
  case fromStart
  /// What is stored is the answer.
  case stored(CacheEntry, age: Int64?, CacheStatus)
  /// The same once more, without the cache's conditions.
  case fetchAgain
  /// It is asked again, by one who says who it is.
  case authenticate(AuthStep)

  /// It may turn out that nothing follows: then the answer is the outcome after all.
  func keepsAnswer(_ interests: RequestInterests) -> Bool {
    switch self {
    case .retry, .fromStart, .stored, .fetchAgain: false
    case .redirect: interests.contains(.redirects)
    case .authenticate(let step): step.keepsAnswer
    }
  }
}
