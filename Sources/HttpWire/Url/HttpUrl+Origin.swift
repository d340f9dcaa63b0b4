extension HttpUrl {
  /// Whether scheme, host and port are the same (RFC 6454 section 5): what credentials for one may be sent to the other.
  public func isSameOrigin(as other: HttpUrl) -> Bool {
    scheme == other.scheme && port == other.port && host == other.host
  }
}
