/// What to do with a request, given what is stored. Ages are in seconds, for the Age field.
public enum CacheDecision: Sendable, Equatable {
  /// Answer with the stored response.
  case useFresh(age: Int64)
  /// Answer with the stored response, although it is stale: `max-stale` or the policy allows it.
  case useStale(age: Int64)
  /// Answer with the stored response, and validate it meanwhile with the request's fields and these (RFC 5861 3).
  case useStaleAndRevalidate(age: Int64, conditions: HttpHeaders)
  /// Ask the server with the request's fields and these, the conditions.
  case revalidate(conditions: HttpHeaders, CacheForward)
  /// Ask the server without conditions.
  case fetch(CacheForward)
  /// Answer 504: the server is not to be asked, and nothing stored may be used (RFC 9111 5.2.1.7).
  case gatewayTimeout
}
