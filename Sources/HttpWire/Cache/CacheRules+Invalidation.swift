extension CacheRules {
  /// The URLs under which nothing stored holds any more after a response to an unsafe method (RFC 9111 4.4): the request's own, and those
  /// of Location and Content-Location that are of the same origin. None after a safe method, and none after an error: nothing was changed
  /// then.
  ///
  /// It holds for requests that go past the cache, too.
  public static func invalidated(by method: HttpMethod, of url: HttpUrl, status: Int, headers: HttpHeaders) -> [HttpUrl] {
    guard !method.isSafe, (200...399).contains(status) else { return [] }
    var urls = [url]
    for name in ["Location", "Content-Location"] {
      guard let reference = headers[name], let other = try? HttpUrl(reference, relativeTo: url), other.isSameOrigin(as: url),
        !urls.contains(other)
      else { continue }
      urls.append(other)
    }
    return urls
  }
}
