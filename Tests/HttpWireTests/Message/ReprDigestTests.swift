import Hashing
import TestSupport
import Testing

@testable import HttpWire

struct ReprDigestTests {
  // Of `{"hello": "world"}` and a line feed, as in RFC 9530 B.1.
  private static let content = Array("{\"hello\": \"world\"}\n".utf8)
  private static let sha256 = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
  private static let sha512 = "YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg=="
  private static let md5 = Base64.encode(HashAlgorithm.md5.hash(content))

  private func verifies(_ digest: ReprDigest?) -> Bool {
    guard let digest else { return false }
    let stream = HashStream(digest.algorithm)
    stream.update(Self.content)
    return digest.matches(stream.finish())
  }

  @Test(arguments: [
    ("sha-256=:\(sha256):", [HashAlgorithm.sha256]), ("sha-512=:\(sha512):", [.sha512]),
    ("sha-256=:\(sha256):,sha-512=:\(sha512):", [.sha512, .sha256]),
    ("md5=:\(md5):, sha-256=:\(sha256):", [.sha256, .md5]), ("SHA-256=:\(sha256):", [.sha256]),
    ("sha-256=:\(sha256.dropLast()):", [.sha256]),
    ("a, b=1, c=\"x, \\\"y\\\"\";p, d=(1 \"a)b\" :AA==:;q=2);r=?0, e=tok/en:x, sha-256=:\(sha256):;p=1;q;r=\"s\"", [.sha256]),
    ("sha-256=:AAAA:, sha-256=:\(sha256):", [.sha256]), (" sha-256=:\(sha256): ", [.sha256]),
    ("unixsum=:AAAA:, sha-256=:\(sha256):", [.sha256]),
    ("x=-1.5, sha-256=:\(sha256):\t,\tb=*a", [.sha256]), ("l=(), sha-256=:\(sha256):", [.sha256]),
    // Nothing that can be used.
    ("", []), ("sha-256=:AAAA:", []), ("sha-256=\(sha256)", []), ("sha-256", []), ("crc32c=:AAAAAA==:", []),
    ("sha-256=:\(sha256):, sha-256=1", []),
    // No dictionary.
    ("sha-256=:\(sha256):,", []), ("sha-256=:\(sha256)", []), ("sha-256=:\(sha256): x", []), (",sha-256=:\(sha256):", []),
    ("sha-256=:!!!!:, md5=:\(md5):", []),
    ("sha-256=:\(sha256):;=1", []), ("a=\"unclosed, sha-256=:\(sha256):", []), ("a=(1 2, sha-256=:\(sha256):", []),
    ("a=((1)), sha-256=:\(sha256):", []),
    ("a=, sha-256=:\(sha256):", []), ("a=\"x\\", []), ("sha-256 = :\(sha256):", []), ("1a=1, sha-256=:\(sha256):", []),
  ]) func `a dictionary of hashes is read, the strongest first`(text: String, algorithms: [HashAlgorithm]) {
    let digests = ReprDigest.parse(text)
    #expect(digests.map(\.algorithm) == algorithms)
    for digest in digests { #expect(verifies(digest)) }
  }

  @Test(arguments: [
    ("SHA-256=\(sha256)", [HashAlgorithm.sha256]), ("sha-256=\(sha256),md5=\(md5)", [.sha256, .md5]),
    ("MD5=\(md5), SHA-512=\(sha512)", [.sha512, .md5]),
    ("unixsum=30637, SHA-256=\(sha256)", [.sha256]), ("SHA-256=\(sha256.dropLast())", []), ("SHA-256", []), ("=\(sha256)", []),
    ("SHA-256=", []),
    ("md5=\(sha256)", []), ("", []), (",,", []), ("SHA-256=:\(sha256):", []),
  ]) func `the older field is read as well`(text: String, algorithms: [HashAlgorithm]) {
    let digests = ReprDigest.parseDigest(text)
    #expect(digests.map(\.algorithm) == algorithms)
    for digest in digests { #expect(verifies(digest)) }
  }

  @Test func `other content does not match`() throws {
    let digest = try #require(ReprDigest.parse("sha-256=:\(Self.sha256):").first)
    #expect(!digest.matches(HashAlgorithm.sha256.hash([])) && !digest.matches([]))
    #expect(ReprDigest(.sha256, [1, 2, 3]) == nil)
  }

  @Test func `headers give the hashes of their fields`() {
    let old: HttpHeaders = ["Digest": "md5=\(Self.md5)", "digest": "sha-256=\(Self.sha256)"]
    #expect(old.reprDigests.map(\.algorithm) == [.sha256, .md5] && old.contentDigests.isEmpty)
    let new: HttpHeaders = [
      "Digest": "sha-512=\(Self.sha512)", "Repr-Digest": "md5=:\(Self.md5):", "repr-digest": "sha-256=:\(Self.sha256):",
      "Content-Digest": "sha-512=:\(Self.sha512):",
    ]
    #expect(new.reprDigests.map(\.algorithm) == [.sha256, .md5] && new.contentDigests.map(\.algorithm) == [.sha512])
    #expect(HttpHeaders().reprDigests.isEmpty)
  }

  @Test func `random and damaged fields make nothing trap`() {
    var generator = SeededGenerator(seed: 11)
    let valid = Array("a=(1 \"b\");c, sha-256=:\(Self.sha256):;p=\"q\\\"\", d=?1, md5=:AAAAAAAAAAAAAAAAAAAAAA==:".utf8)
    for round in 0..<50_000 {
      let bytes = round % 4 == 0 ? generator.bytes(upTo: 40) : generator.mutation(of: valid)
      let text = String(decoding: bytes, as: UTF8.self)
      for digest in ReprDigest.parse(text) + ReprDigest.parseDigest(text) { #expect(digest.value.count == digest.algorithm.byteCount) }
    }
  }
}
