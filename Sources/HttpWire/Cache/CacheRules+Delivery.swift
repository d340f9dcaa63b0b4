extension CacheRules {
  /// The header fields with which a stored response answers.
  ///
  /// - Parameters:
  ///   - age: As the decision has it: becomes the Age field, and the fields go that `no-cache="…"` keeps from being used unasked. nil for
  ///     a response that was just validated.
  ///   - status: Becomes the last member of Cache-Status.
  public static func headers(of entry: CacheEntry, age: Int64?, status: CacheStatus) -> HttpHeaders {
    var headers = entry.headers
    if let age {
      headers = headers.without(Set(CacheControl(response: headers).noCacheFields + ["age"]))
      headers.append("Age", "\(age)")
    }
    headers.append(CacheStatus.fieldName, status.description)
    return headers
  }
}
