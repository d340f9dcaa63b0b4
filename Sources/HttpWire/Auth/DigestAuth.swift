public import Hashing

/// The Digest scheme (RFC 7616, and RFC 2069 for challenges without `qop`): what one nonce of a server is good for.
///
/// Counts its own uses. Holds no secret, but for `-sess` the hash that it is made of.
public struct DigestAuth: Sendable {
  /// How much of a request the answer protects.
  public enum Protection: String, Sendable, Hashable {
    /// As in RFC 2069: method and target, without a count of uses.
    case none
    /// Method and target.
    case auth
    /// The body, too.
    case authInt = "auth-int"
  }

  public let realm: String
  public private(set) var nonce: String
  public let algorithm: DigestAlgorithm
  /// `auth` where the server leaves the choice.
  public let protection: Protection
  /// The nonce of the request before was too old, and its password right.
  public let isStale: Bool
  /// Times that the nonce was used.
  public private(set) var count: UInt32 = 0

  let opaque: String?
  /// As the server spells it; nil if it named none.
  let algorithmName: String?
  let hashesUser: Bool
  let isUtf8: Bool
  /// What the key of a `-sess` algorithm is made from, besides the password: it outlives further nonces of the session (RFC 7616 section 3.6).
  private(set) var session: (nonce: String, cnonce: String)?

  /// nil for another scheme, for a challenge without realm or nonce, for an algorithm or only protections that are not known, and for
  /// values that could not be sent back as they are.
  public init?(challenge: AuthChallenge) {
    guard challenge.scheme == "digest", let realm = challenge.realm, let nonce = challenge["nonce"], !nonce.isEmpty else { return nil }
    guard [realm, nonce, challenge["opaque"] ?? ""].allSatisfy(Self.isFaithful) else { return nil }
    let name = challenge["algorithm"].flatMap { $0.isEmpty ? nil : $0 }
    guard let algorithm = DigestAlgorithm(name ?? "MD5"), let protection = Self.protection(challenge["qop"]) else { return nil }
    self.realm = realm
    self.nonce = nonce
    self.algorithm = algorithm
    self.protection = protection
    algorithmName = name
    opaque = challenge["opaque"]
    isStale = challenge["stale"]?.lowercased() == "true"
    hashesUser = challenge["userhash"]?.lowercased() == "true"
    isUtf8 = challenge["charset"]?.lowercased() == "utf-8"
  }

  /// The strongest of the Digest challenges that can be answered; the first of those that are equally strong.
  public static func strongest(of challenges: [AuthChallenge]) -> DigestAuth? {
    var best: DigestAuth?
    for digest in challenges.lazy.compactMap(DigestAuth.init(challenge:)) {
      guard let other = best else {
        best = digest
        continue
      }
      if digest.algorithm.strength > other.algorithm.strength { best = digest }
    }
    return best
  }

  /// The answer needs the hash of the body.
  public var needsBodyHash: Bool { protection == .authInt }

  /// The value of Authorization or Proxy-Authorization for the next request with this nonce.
  ///
  /// - Parameters:
  ///   - target: As in the request line.
  ///   - bodyHash: The hash of the body under the function that it is given; asked for only if `needsBodyHash`. nil: it is not known.
  ///   - cnonce: Random, for each answer anew, of visible ASCII.
  ///
  /// Throws `invalid` for control characters in `user`, and `unsupported` where the hash of the body is needed and not known.
  public mutating func authorization(
    method: HttpMethod, target: String, user: [UInt8], password: [UInt8], bodyHash: (HashAlgorithm) -> [UInt8]?, cnonce: String
  ) throws(WireError) -> String {
    guard !user.contains(where: Ascii.isControl) else { throw .invalid("the user holds a control character") }
    var body: [UInt8]?
    if needsBodyHash {
      guard let hash = bodyHash(algorithm.hash) else {
        throw .unsupported("the server wants the body in the Digest (auth-int), and its hash is not known before it is sent", status: 401)
      }
      body = algorithm.hexadecimal(hash)
    }
    if count < .max { count += 1 }
    if algorithm.isSession, session == nil { session = (nonce, cnonce) }
    // A session has one cnonce, so that servers that make its key anew from each answer come to the same.
    let cnonce = session?.cnonce ?? cnonce

    var secret = algorithm.hex(user, bytes(realm), password)
    if let session { secret = algorithm.hex(secret, bytes(session.nonce), bytes(session.cnonce)) }
    let request = bytes(method.rawValue)
    let what = body.map { algorithm.hex(request, bytes(target), $0) } ?? algorithm.hex(request, bytes(target))
    let counter = Self.padded(count)
    let response =
      protection == .none
      ? algorithm.hex(secret, bytes(nonce), what)
      : algorithm.hex(secret, bytes(nonce), bytes(counter), bytes(cnonce), bytes(protection.rawValue), what)

    var text = "Digest \(try name(user)), realm=\(quoted(realm)), nonce=\(quoted(nonce)), uri=\(quoted(target))"
    text += ", response=\"\(String(decoding: response, as: UTF8.self))\""
    if let algorithmName { text += ", algorithm=\(algorithmName)" }
    if let opaque { text += ", opaque=\(quoted(opaque))" }
    if protection != .none { text += ", qop=\(protection.rawValue), nc=\(counter)" }
    if protection != .none || algorithm.isSession { text += ", cnonce=\(quoted(cnonce))" }
    if hashesUser { text += ", userhash=true" }
    return text
  }

  /// Goes on where another left off with the same nonce, which servers may give to several requests; false if it is another nonce.
  public mutating func goOn(from other: DigestAuth) -> Bool {
    guard nonce == other.nonce, algorithm == other.algorithm else { return false }
    count = max(count, other.count)
    session = other.session
    return true
  }

  /// Goes on with the nonce that a response's Authentication-Info (or Proxy-Authentication-Info) announces, if it does (RFC 7615, RFC 7616 section 3.5).
  public mutating func read(authenticationInfo value: String) {
    let parameters = value.withBytes { AuthFieldScanner.parameters($0) }
    guard let next = parameters.first(where: { $0.0 == "nextnonce" })?.1, !next.isEmpty, next != nonce, Self.isFaithful(next) else {
      return
    }
    nonce = next
    count = 0
  }
}
