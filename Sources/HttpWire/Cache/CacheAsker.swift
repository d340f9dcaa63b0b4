/// Who asks, as far as what is stored for one is no answer for another, as a hash: credentials are secrets.
///
/// It is of the credentials and not of the Authorization field that they make, for with Digest that is another one each time.
public struct CacheAsker: Hashable, Sendable {
  /// One who does not say.
  public static let nobody = CacheAsker()

  let digest: CacheDigest

  private init() { digest = CacheDigest(of: []) }

  private init(_ parts: [[UInt8]]) {
    var bytes: [UInt8] = []
    for part in parts {
      bytes.append(decimal: UInt64(part.count))
      bytes.append(Ascii.colon)
      bytes += part
    }
    digest = CacheDigest(of: bytes)
  }

  /// Whoever has these. The password counts: who only knows the user gets nothing that was meant for him.
  public init(_ credentials: HttpCredentials) {
    self.init([Array("\(credentials.kind)".utf8), credentials.user, credentials.secret])
  }

  /// Whoever sends these fields, of which Authorization counts as it is.
  public init(_ headers: HttpHeaders) {
    var parts = [Array("field".utf8)]
    headers.forEachValue(of: "authorization") { value in
      parts.append([UInt8](value))
      return true
    }
    self = parts.count == 1 ? .nobody : CacheAsker(parts)
  }

  /// The same with a client certificate, or what else tells who is at the other end of the connection.
  public func with(identity: [UInt8]) -> CacheAsker {
    identity.isEmpty ? self : CacheAsker([digest.bytes, identity])
  }
}
