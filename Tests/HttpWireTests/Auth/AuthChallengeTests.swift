import HttpWire
import TestSupport
import Testing

@Suite("Challenges")
struct AuthChallengeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var field: String
    /// As `scheme`, `scheme token68`, or `scheme|name=value|…`.
    var expected: [String]
    var testDescription: String { field }

    init(_ field: String, _ expected: String...) {
      self.field = field
      self.expected = expected
    }
  }

  static let cases: [Case] = [
    Case("Basic realm=\"a\"", "basic|realm=a"), Case("BASIC REALM=\"a\"", "basic|realm=a"), Case("Basic", "basic"), Case("", ""),
    Case("Basic realm=\"a\", charset=\"UTF-8\"", "basic|realm=a|charset=UTF-8"),
    Case("Digest realm=\"a\", qop=\"auth, auth-int\", nonce=b", "digest|realm=a|qop=auth, auth-int|nonce=b"),
    Case("Basic realm=\"a\", Digest realm=\"b\", nonce=\"c\"", "basic|realm=a", "digest|realm=b|nonce=c"),
    Case("Digest realm=\"b\", nonce=\"c\", Basic realm=\"a\"", "digest|realm=b|nonce=c", "basic|realm=a"),
    Case("Negotiate, NTLM, Basic realm=x", "negotiate", "ntlm", "basic|realm=x"),
    Case("Negotiate oRQwEqADCgEA==, Basic realm=x", "negotiate oRQwEqADCgEA==", "basic|realm=x"),
    Case("NTLM TlRMTVNTUAACAAAA/+a", "ntlm TlRMTVNTUAACAAAA/+a"), Case("Negotiate a=b", "negotiate|a=b"),
    Case("Negotiate a=", "negotiate a="),
    Case("Basic realm=\"a, b\", Bearer", "basic|realm=a, b", "bearer"),
    Case(
      "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
      "newauth|realm=apps|type=1|title=Login to \"apps\"", "basic|realm=simple"),
    Case("Basic realm=\"a\\\\b\\\"c\\d\"", "basic|realm=a\\b\"cd"), Case("Basic realm=\"\"", "basic|realm="),
    Case("Basic realm = \"a\" ,\t foo = bar", "basic|realm=a|foo=bar"), Case(",, ,Basic realm=a,,, ,foo=b,,", "basic|realm=a|foo=b"),
    Case("Basic realm=my realm", "basic|realm=my realm"), Case("Basic realm=my realm, foo=b", "basic|realm=my realm|foo=b"),
    Case("Digest realm=a qop=auth nonce=b", "digest|realm=a|qop=auth|nonce=b"),
    Case("Basic realm=\"a\" charset=\"UTF-8\"", "basic|realm=a|charset=UTF-8"),
    Case("Basic realm=\"a\" Digest realm=\"b\"", "basic|realm=a", "digest|realm=b"),
    Case("Basic realm=\"never closed, foo=b", "basic|realm=never closed, foo=b"), Case("Basic realm=\"a\\", "basic|realm=a\\"),
    Case("Basic realm='a'", "basic|realm='a'"), Case("Digest nonce=abc/+==, realm=x", "digest|nonce=abc/+==|realm=x"),
    Case("Digest realm=, nonce=\"b\"", "digest|realm=|nonce=b"), Case("Basic realm=", "basic|realm="),
    Case("Basic =a, realm=b"),
    Case("=, Basic realm=b", "basic|realm=b"), Case("realm=\"a, Basic\", Basic realm=b", "basic|realm=b"),
    Case("\"Basic\", Bearer", "bearer"),
    Case("@@ Basic, Bearer a=b", "bearer|a=b"),
    Case(
      "Bearer error=\"invalid_token\", error_description=\"The access token expired\"",
      "bearer|error=invalid_token|error_description=The access token expired"),
    Case("Basic realm=a, realm=b", "basic|realm=a|realm=b"), Case("Bearer title*=UTF-8''%c2%a3", "bearer|title*=UTF-8''%c2%a3"),
    Case("Basic\trealm=a", "basic|realm=a"), Case("Basic,Digest", "basic", "digest"), Case("Digest realm=\"ü\"", "digest|realm=ü"),
    Case("Basic realm=\"a\"junk, foo=b", "basic|realm=a", "junk|foo=b"), Case("Basic realm=\"a\"; foo=b", "basic|realm=a"),
    Case("Mutual realm=a, auth-scope=\"*.example\", Hoba max-age=\"5\"", "mutual|realm=a|auth-scope=*.example", "hoba|max-age=5"),
  ]

  private func text(_ challenge: AuthChallenge) -> String {
    if let token = challenge.token68 { return "\(challenge.scheme) \(token)" }
    return ([challenge.scheme] + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: "|")
  }

  @Test("a field is read as challenges, as leniently as real ones need", arguments: cases)
  func reads(given: Case) {
    #expect(AuthChallenge.all(in: given.field).map(text) == given.expected.filter { !$0.isEmpty })
  }

  @Test("several fields are one list, and those for a proxy are another")
  func fields() {
    let headers: HttpHeaders = [
      "WWW-Authenticate": "Basic realm=a, Digest realm=b", "Proxy-Authenticate": "Basic realm=p", "www-authenticate": "Bearer",
    ]
    #expect(AuthChallenge.all(in: headers).map(text) == ["basic|realm=a", "digest|realm=b", "bearer"])
    #expect(AuthChallenge.all(in: headers, proxy: true).map(text) == ["basic|realm=p"])
    #expect(AuthChallenge.all(in: HttpHeaders()).isEmpty)
  }

  @Test("the first parameter of a name counts, and the description holds the realm cut and escaped")
  func subscripting() {
    let challenge = AuthChallenge.all(in: "Basic Realm=\"a\u{1}b\", realm=c")[0]
    #expect(challenge.realm == "a\u{1}b" && challenge["realm"] == "a\u{1}b" && challenge["nonce"] == nil)
    #expect(challenge.description == "basic for \"a\\x01b\"")
  }

  @Test("challenges, parameters and bytes are bounded")
  func bounds() {
    let many = Array(repeating: "Basic", count: 1_000).joined(separator: ",")
    #expect(AuthChallenge.all(in: many).count == AuthChallenge.maximumCount)
    #expect(AuthChallenge.all(in: ["WWW-Authenticate": many, "www-authenticate": many]).count == AuthChallenge.maximumCount)
    let wide = "Digest " + (0..<1_000).map { "a\($0)=b" }.joined(separator: ",")
    #expect(AuthChallenge.all(in: wide)[0].parameters.count == AuthChallenge.maximumParameters)
    let long = "Basic realm=a, Digest realm=\"" + String(repeating: "x", count: AuthChallenge.maximumBytes) + "\", Bearer"
    #expect(AuthChallenge.all(in: long).map(text) == ["basic|realm=a"])
    // Each unquoted value looks ahead at the blanks in it: that must not become quadratic.
    let blanks = "Digest realm=" + String(repeating: "a ", count: 8_000)
    #expect(AuthChallenge.all(in: blanks).count == 1)
  }

  @Test("50,000 random and damaged fields do not trap")
  func random() {
    var generator = SeededGenerator(seed: 43)
    let valid = Self.cases.map { Array($0.field.utf8) }
    for round in 0..<50_000 {
      let bytes = round.isMultiple(of: 2) ? generator.bytes(upTo: 40) : generator.mutation(of: valid[round / 2 % valid.count])
      let challenges = AuthChallenge.all(in: String(decoding: bytes, as: UTF8.self))
      #expect(challenges.count <= bytes.count)
      for challenge in challenges { _ = DigestAuth(challenge: challenge) }
    }
  }
}
