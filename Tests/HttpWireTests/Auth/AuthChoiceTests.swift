import HttpWire
import Testing

@Suite("The choice of a scheme")
struct AuthChoiceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var field: String
    /// `basic`, `digest` and algorithm, or `-`; for any, basic and digest credentials.
    var any: String
    var basic: String
    var digest: String
    var testDescription: String { field }

    init(_ field: String, any: String, basic: String, digest: String) {
      self.field = field
      self.any = any
      self.basic = basic
      self.digest = digest
    }
  }

  static let md5 = "Digest realm=a, nonce=b"
  static let sha256 = "Digest realm=a, nonce=b, algorithm=SHA-256"
  static let sha512 = "Digest realm=a, nonce=b, algorithm=SHA-512-256-sess, qop=auth"
  static let unknown = "Digest realm=a, nonce=b, algorithm=SHA3-256"

  static let cases: [Case] = [
    Case("", any: "-", basic: "-", digest: "-"), Case("Basic realm=a", any: "basic", basic: "basic", digest: "-"),
    Case(md5, any: "digest MD5", basic: "-", digest: "digest MD5"),
    Case("Basic, \(md5)", any: "digest MD5", basic: "basic", digest: "digest MD5"),
    Case("\(md5), Basic", any: "digest MD5", basic: "basic", digest: "digest MD5"),
    Case("\(md5), \(sha256)", any: "digest SHA-256", basic: "-", digest: "digest SHA-256"),
    Case("\(sha256), \(md5)", any: "digest SHA-256", basic: "-", digest: "digest SHA-256"),
    Case("\(sha256), \(md5), \(sha512)", any: "digest SHA-512-256-sess", basic: "-", digest: "digest SHA-512-256-sess"),
    Case("\(unknown), Basic", any: "basic", basic: "basic", digest: "-"),
    Case("\(unknown), \(md5)", any: "digest MD5", basic: "-", digest: "digest MD5"),
    Case("Digest nonce=b, Basic", any: "basic", basic: "basic", digest: "-"), Case("Bearer, Negotiate", any: "-", basic: "-", digest: "-"),
    Case("Negotiate, NTLM, Basic realm=x", any: "basic", basic: "basic", digest: "-"),
    Case("Digest realm=a, nonce=b, qop=auth-conf, Basic", any: "basic", basic: "basic", digest: "-"),
  ]

  private func text(_ choice: AuthChoice?) throws -> String {
    switch choice {
    case nil: return "-"
    case .basic: return "basic"
    case .digest(var digest):
      let value = try digest.authorization(method: .get, target: "/", user: "u", password: "p", cnonce: "c")
      let algorithm = AuthChallenge.all(in: value).first?["algorithm"] ?? "MD5"
      return "digest \(algorithm)"
    }
  }

  @Test("the strongest that the credentials and the challenges have in common", arguments: cases)
  func chooses(given: Case) throws {
    let challenges = AuthChallenge.all(in: given.field)
    #expect(try text(AuthChoice.best(of: challenges, for: .any(user: "u", password: "p"))) == given.any)
    #expect(try text(AuthChoice.best(of: challenges, for: .basic(user: "u", password: "p"))) == given.basic)
    #expect(try text(AuthChoice.best(of: challenges, for: .digest(user: "u", password: "p"))) == given.digest)
    #expect(try text(AuthChoice.best(of: challenges, for: .bearer("t"))) == "-")
  }

  @Test("a user that Basic has no form for is not sent in Basic")
  func colon() throws {
    #expect(AuthChoice.best(of: AuthChallenge.all(in: "Basic realm=a"), for: .any(user: "a:b", password: "p")) == nil)
  }
}
