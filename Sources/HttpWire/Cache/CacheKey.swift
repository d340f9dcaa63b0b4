/// What stored responses are found by: GET, the URL, whom they are kept for, and who asked (RFC 9111 section 2). Which of several responses it
/// is that are stored under one key, ``CacheVariant`` says.
public struct CacheKey: Hashable, Sendable {
  /// The URL and its partition, as they stand on disk: what one asker changes is changed for all of them.
  public let resource: CacheDigest
  /// Who asked, as it stands on disk: of no use for other resources.
  public let asker: CacheDigest

  /// - Parameters:
  ///   - url: Its fragment does not count; user information in it does.
  ///   - partition: Whose cache it is, such as the owner: what is stored for one is never an answer for another.
  ///   - place: Where the URL is asked for, if that is not its own host, such as a Unix socket.
  ///   - asker: Who asks: the same holds for one and another.
  public init(_ url: HttpUrl, partition: String = "", place: String = "", asker: CacheAsker = .nobody) {
    var bytes: [UInt8] = []
    // Each part with its length: no two keys are made of the same bytes.
    for part in ["GET", partition, place, url.userInfo ?? "", url.scheme.rawValue, url.hostHeader, url.target] {
      bytes.append(decimal: UInt64(part.utf8.count))
      bytes.append(Ascii.colon)
      bytes.append(text: part)
    }
    resource = CacheDigest(of: bytes)
    self.asker = asker == .nobody ? asker.digest : CacheDigest(of: resource.bytes + asker.digest.bytes)
  }

  /// A key read from disk.
  public init(resource: CacheDigest, asker: CacheDigest) {
    self.resource = resource
    self.asker = asker
  }
}
