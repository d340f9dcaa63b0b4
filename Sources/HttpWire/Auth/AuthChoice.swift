public import Hashing

/// How credentials answer a challenge.
public enum AuthChoice: Sendable {
  case basic
  case digest(DigestAuth)

  /// The best that the credentials can do about the challenges: Digest before Basic where both will do, and the strongest Digest of several.
  /// nil if nothing of what is offered can be answered. Bearer tokens answer nothing: they were sent already.
  public static func best(of challenges: [AuthChallenge], for credentials: HttpCredentials) -> AuthChoice? {
    switch credentials.kind {
    case .bearer: return nil
    case .digest: return DigestAuth.strongest(of: challenges).map(AuthChoice.digest)
    case .basic: return offersBasic(challenges) ? .basic : nil
    case .any:
      if let digest = DigestAuth.strongest(of: challenges) { return .digest(digest) }
      let canSend = (try? BasicAuth.value(user: credentials.user, password: credentials.secret)) != nil
      return canSend && offersBasic(challenges) ? .basic : nil
    }
  }

  private static func offersBasic(_ challenges: [AuthChallenge]) -> Bool { challenges.contains { $0.scheme == "basic" } }

  /// The value of Authorization or Proxy-Authorization. For Digest as in ``DigestAuth/authorization(method:target:user:password:bodyHash:cnonce:)``,
  /// and throws as it does; Basic needs nothing of the request.
  public mutating func authorization(
    for credentials: HttpCredentials, method: HttpMethod, target: String, bodyHash: (HashAlgorithm) -> [UInt8]?, cnonce: String
  ) throws(WireError) -> String {
    switch self {
    case .basic:
      return try BasicAuth.value(user: credentials.user, password: credentials.secret)
    case .digest(var digest):
      let value = try digest.authorization(
        method: method, target: target, user: credentials.user, password: credentials.secret, bodyHash: bodyHash, cnonce: cnonce)
      self = .digest(digest)
      return value
    }
  }
}
