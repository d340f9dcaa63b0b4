/// What stored responses are found by: GET, the URL and whom they are for (RFC 9111 section 2). Which of several responses it is
/// that are stored under one key, ``CacheVariant`` says.
public struct CacheKey: Hashable, Sendable {
  /// The key as it stands on disk.
  public let digest: CacheDigest

  /// - Parameters:
  ///   - url: Its fragment does not count; user information in it does.
  ///   - partition: Whose cache it is, such as the owner: what is stored for one is never an answer for another.
  public init(_ url: HttpUrl, partition: String = "") {
    var bytes: [UInt8] = []
    // Each part with its length: no two keys are made of the same bytes.
    for part in ["GET", partition, url.userInfo ?? "", url.scheme.rawValue, url.hostHeader, url.target] {
      bytes.append(decimal: UInt64(part.utf8.count))
      bytes.append(Ascii.colon)
      bytes.append(text: part)
    }
    digest = CacheDigest(of: bytes)
  }

  /// A key read from disk.
  public init(digest: CacheDigest) { self.digest = digest }
}
