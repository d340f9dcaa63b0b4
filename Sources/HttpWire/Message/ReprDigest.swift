public import Hashing

/// A hash of a representation or of a message's content, as the peer gives it (RFC 9530).
public struct ReprDigest: Sendable, Hashable {
  public let algorithm: HashAlgorithm
  /// As long as the algorithm's results.
  public let value: [UInt8]

  /// nil unless `value` has the length of the algorithm's results.
  public init?(_ algorithm: HashAlgorithm, _ value: [UInt8]) {
    guard value.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.value = value
  }

  /// Whether it is the result of a `HashStream` of the same algorithm.
  public func matches(_ result: [UInt8]) -> Bool { value == result }

  /// What Repr-Digest or Content-Digest says: `sha-256=:base64:, sha-512=:base64:`; the strongest first. Algorithms that are not known, and hashes of
  /// a wrong length, are left out. Nothing is left of a value that is not a dictionary (RFC 8941 3.2).
  public static func parse(_ text: String) -> [ReprDigest] {
    text.withBytes { bytes in
      guard let members = HashDictionary.members(bytes) else { return [] }
      return sorted(members.compactMap { name, value in algorithm(name).flatMap { ReprDigest($0, value) } })
    }
  }

  /// What the field Digest says, which came before (RFC 3230): `SHA-256=base64,md5=base64`; the strongest first, with the same left out.
  public static func parseDigest(_ text: String) -> [ReprDigest] {
    var found: [ReprDigest] = []
    text.withBytes { bytes in
      Ascii.forEachElement(bytes) { element in
        guard let equals = element.firstIndex(of: Ascii.equals) else { return true }
        let name = String(peer: element[piece: 0..<equals])
        let value = Base64.decode(String(peer: element[piece: equals + 1..<element.count]))
        if let value, let digest = algorithm(name).flatMap({ ReprDigest($0, value) }) { found.append(digest) }
        return true
      }
    }
    return sorted(found)
  }

  private static let strongestFirst: [HashAlgorithm] = [.sha512, .sha256, .sha1, .md5]

  private static func algorithm(_ name: String) -> HashAlgorithm? {
    switch name.lowercased() {
    case "sha-512": .sha512
    case "sha-256": .sha256
    case "sha", "sha-1": .sha1
    case "md5": .md5
    default: nil
    }
  }

  private static func sorted(_ digests: [ReprDigest]) -> [ReprDigest] {
    strongestFirst.flatMap { algorithm in digests.filter { $0.algorithm == algorithm } }
  }
}

extension HttpHeaders {
  /// Hashes of the representation with its content codings, the strongest first: of Repr-Digest, and if that has none of Digest. They are of the whole,
  /// also in a 206, and of the bytes before they are decoded.
  public var reprDigests: [ReprDigest] {
    let digests = ReprDigest.parse(values("repr-digest").joined(separator: ", "))
    return digests.isEmpty ? ReprDigest.parseDigest(values("digest").joined(separator: ", ")) : digests
  }

  /// Hashes of this message's content, before it is decoded, the strongest first: of Content-Digest.
  public var contentDigests: [ReprDigest] { ReprDigest.parse(values("content-digest").joined(separator: ", ")) }
}
