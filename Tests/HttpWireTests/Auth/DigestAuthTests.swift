import Hashing
import HttpWire
import TestSupport
import Testing

@Suite("Digest")
struct DigestAuthTests {
  private func digest(_ field: String) throws -> DigestAuth {
    try #require(AuthChallenge.all(in: field).lazy.compactMap { DigestAuth(challenge: $0) }.first)
  }

  private func parts(_ value: String) throws -> AuthChallenge { try #require(AuthChallenge.all(in: value).first) }

  // MARK: Published examples

  static let mufasa = """
    realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
    opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
    """

  @Test(
    "the examples of RFC 7616 3.9.1",
    arguments: [
      ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"), ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ])
  func rfc7616(algorithm: String, response: String) throws {
    var digest = try digest("Digest \(Self.mufasa), algorithm=\(algorithm)")
    let value = try digest.authorization(
      method: .get, target: "/dir/index.html", user: "Mufasa", password: "Circle of Life",
      cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
    #expect(
      value == """
        Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", \
        response="\(response)", algorithm=\(algorithm), opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, nc=00000001, \
        cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        """)
  }

  /// Not the RFC's own figures, which no computation with SHA-512/256 gives: these are what Python's hashlib makes of its example with `sha512_256`.
  @Test("the example of RFC 7616 3.9.2: SHA-512-256, a hashed user outside ASCII")
  func userhash() throws {
    var digest = try digest(
      """
      Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
      opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDssOS", charset=UTF-8, userhash=true
      """)
    let value = try digest.authorization(
      method: .get, target: "/doe.json", user: "Jäsøn Doe", password: "Secret, or not?", cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm")
    let given = try parts(value)
    #expect(given["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
    #expect(given["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
    #expect(given["userhash"] == "true" && value.contains("algorithm=SHA-512-256,") && value.hasSuffix("userhash=true"))
  }

  @Test("the examples of RFC 2617 3.5 and of RFC 2069 2.4 with its erratum 749")
  func older() throws {
    let challenge = """
      Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"
      """
    var digest = try digest("\(challenge), qop=\"auth,auth-int\"")
    var value = try digest.authorization(
      method: .get, target: "/dir/index.html", user: "Mufasa", password: "Circle Of Life", cnonce: "0a4f113b")
    #expect(try parts(value)["response"] == "6629fae49393a05397450978507c4ef1" && !value.contains("algorithm"))
    digest = try self.digest(challenge)
    value = try digest.authorization(method: .get, target: "/dir/index.html", user: "Mufasa", password: "CircleOfLife", cnonce: "0a4f113b")
    #expect(
      value == """
        Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", \
        response="1949323746fe6a43ef61f9606e7febea", opaque="5ccc069c403ebaf9f0171e9517f40e41"
        """)
  }

  // MARK: Challenges

  @Test(
    "a challenge that can't be answered is none",
    arguments: [
      "Basic realm=a", "Digest", "Digest realm=a", "Digest nonce=b", "Digest realm=a, nonce=\"\"",
      "Digest realm=a, nonce=b, algorithm=SHA-1",
      "Digest realm=a, nonce=b, algorithm=token", "Digest realm=a, nonce=b, qop=auth-conf", "Digest realm=a, nonce=\"b\u{FFFD}\"",
      "Digest realm=\"a\u{1}\", nonce=b", "Digest realm=a, nonce=b, opaque=\"\u{7F}\"",
    ])
  func unanswerable(field: String) {
    #expect(AuthChallenge.all(in: field).compactMap { DigestAuth(challenge: $0) }.isEmpty)
  }

  @Test(
    "protection, algorithm and staleness are read in any case and with or without quotes",
    arguments: [
      ("", DigestAuth.Protection.none, "MD5", false), ("qop=auth", .auth, "MD5", false),
      ("qop=\"AUTH\", algorithm=md5", .auth, "md5", false),
      ("qop=\"auth-int\", algorithm=\"Sha-256\"", .authInt, "Sha-256", false), ("qop=\"auth-int, auth\"", .auth, "MD5", false),
      ("qop=\"auth-conf auth\", stale=TRUE", .auth, "MD5", true), ("qop=\"\", stale=\"true\", algorithm=\"\"", .none, "MD5", true),
      ("stale=false, algorithm=SHA-512-256-sess", .none, "SHA-512-256-sess", false), ("stale", .none, "MD5", false),
    ])
  func settings(more: String, protection: DigestAuth.Protection, algorithm: String, isStale: Bool) throws {
    var digest = try digest("Digest realm=a, nonce=b, \(more)")
    #expect(digest.protection == protection && digest.isStale == isStale && digest.algorithm == DigestAlgorithm(algorithm))
    let value = try digest.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "c")
    #expect(value.contains("algorithm=") == more.contains("algorithm=") || more.contains("algorithm=\"\""))
    #expect(!more.contains("md5") || value.contains("algorithm=md5,"))
  }

  @Test("the strongest algorithm is taken, and the first of equals")
  func strongest() throws {
    let challenges = AuthChallenge.all(
      in: "Digest realm=1, nonce=b, Digest realm=2, nonce=b, algorithm=SHA-256, Digest realm=3, nonce=b, algorithm=SHA-256-sess, Basic")
    #expect(DigestAuth.strongest(of: challenges)?.realm == "2")
    #expect(DigestAuth.strongest(of: []) == nil)
  }

  // MARK: Uses of a nonce

  @Test("uses of a nonce are counted in hexadecimal, and a session keeps its cnonce")
  func counting() throws {
    var digest = try digest("Digest realm=a, nonce=b, qop=auth")
    var session = try self.digest("Digest realm=a, nonce=b, qop=auth, algorithm=MD5-sess")
    for use in 1...17 {
      let given = try parts(digest.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "c\(use)"))
      #expect(given["nc"] == (use < 16 ? "0000000" : "000000") + String(use, radix: 16) && given["cnonce"] == "c\(use)")
      let other = try parts(session.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "c\(use)"))
      #expect(other["nc"] == given["nc"] && other["cnonce"] == "c1")
    }
    #expect(digest.count == 17)
  }

  @Test("a nonce that is announced is the next, counted from one; a session's key stays the first's")
  func nextNonce() throws {
    var digest = try digest("Digest realm=a, nonce=b, qop=auth, algorithm=MD5-sess")
    _ = try digest.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "c")
    digest.read(authenticationInfo: "rspauth=\"x\", qop=auth, nextnonce=\"n, \\\"2\\\"\", nc=00000001")
    #expect(digest.nonce == "n, \"2\"" && digest.count == 0)
    let given = try parts(digest.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "d"))
    #expect(given["nonce"] == "n, \"2\"" && given["nc"] == "00000001" && given["cnonce"] == "c")
    // MD5(MD5(MD5("u:a:p"):b:c):n, "2":00000001:c:auth:MD5("GET:/"))
    #expect(given["response"] == "a6fdf0b516e1e17707fd2fbec97278ab")
    for nothing in ["", "nextnonce=\"\"", "nextnonce", "qop=auth", "nextnonce=\"\u{1}\"", "nextnonce=\"n, \\\"2\\\"\""] {
      digest.read(authenticationInfo: nothing)
      #expect(digest.nonce == "n, \"2\"" && digest.count == 1)
    }
  }

  // MARK: Bodies and users

  @Test("auth-int needs the hash of the body and nothing else does")
  func bodies() throws {
    var digest = try digest("Digest realm=a, nonce=b, qop=auth-int, algorithm=SHA-256")
    #expect(digest.needsBodyHash)
    let error = #expect(throws: WireError.self) {
      try digest.authorization(method: .post, target: "/", user: [0x75], password: [], bodyHash: { _ in nil }, cnonce: "c")
    }
    #expect(error?.kind == .unsupported && digest.count == 0)
    var asked: [HashAlgorithm] = []
    _ = try digest.authorization(
      method: .post, target: "/", user: [0x75], password: [],
      bodyHash: {
        asked.append($0)
        return $0.hash([])
      }, cnonce: "c")
    #expect(asked == [.sha256])
    digest = try self.digest("Digest realm=a, nonce=b, qop=\"auth,auth-int\"")
    #expect(!digest.needsBodyHash)
  }

  @Test(
    "a user is quoted, extended or hashed",
    arguments: [
      ("", "a\"b\\c", "username=\"a\\\"b\\\\c\","), ("", "Jäsøn", "username=\"Jäsøn\","), ("charset=UTF-8", "Jason", "username=\"Jason\","),
      ("charset=utf-8", "Jäsøn Doe", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe,"), ("charset=ISO-8859-1", "ö", "username=\"ö\","),
      ("userhash=true", "Mufasa", "username=\"5f86150e6158617bc213d4c6ef520d18\","), ("userhash=false", "Mufasa", "username=\"Mufasa\","),
    ])
  func users(more: String, user: String, expected: String) throws {
    var digest = try digest("Digest realm=a, nonce=b, qop=auth, \(more)")
    let value = try digest.authorization(method: .get, target: "/", user: user, password: "p", cnonce: "c")
    #expect(value.hasPrefix("Digest \(expected)"))
  }

  @Test("a user that can't be sent is refused", arguments: [Array("a\r\nX: y".utf8), [0x61, 0], [0xE9]])
  func badUsers(user: [UInt8]) throws {
    var digest = try digest("Digest realm=a, nonce=b, qop=auth")
    #expect(throws: WireError.self) {
      try digest.authorization(method: .get, target: "/", user: user, password: [], bodyHash: { _ in nil }, cnonce: "c")
    }
  }
}
