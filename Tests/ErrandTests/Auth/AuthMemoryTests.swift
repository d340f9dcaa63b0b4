import HttpWire
import Testing

@testable import Errand

@Suite("What is remembered of challenges")
struct AuthMemoryTests {
  private let memory = AuthMemory()
  private let credentials = HttpCredentials.any(user: "u", password: "p")

  private func space(_ url: String) throws -> AuthSpace { AuthSpace(try HttpUrl(url)) }

  private func digest(_ realm: String, nonce: String = "n") throws -> AuthChoice {
    let challenge = AuthChallenge(scheme: "Digest", parameters: [("realm", realm), ("nonce", nonce), ("qop", "auth")])
    return .digest(try #require(DigestAuth(challenge: challenge)))
  }

  /// Realm and count, or `basic`.
  private func recall(_ url: String, _ target: String, _ credentials: HttpCredentials? = nil) throws -> String? {
    memory.recall(of: try space(url), for: credentials ?? self.credentials, target: target) { choice in
      _ = try? choice.authorization(for: self.credentials, method: .get, target: target, bodyHash: { _ in nil }, cnonce: "c")
      guard case .digest(let digest) = choice else { return "basic" }
      return "\(digest.realm) \(digest.nonce) \(digest.count)"
    }
  }

  @Test("a nonce is known at its origin, for its credentials, and its uses are counted")
  func counts() throws {
    memory.learn(try digest("r"), of: try space("http://a/"), for: credentials, target: "/x/y")
    #expect(try recall("http://a/", "/x/z") == "r n 1")
    #expect(try recall("http://A:80/", "/") == "r n 2")
    for other in ["https://a/", "http://a:81/", "http://b/"] { #expect(try recall(other, "/x/y") == nil) }
    #expect(try recall("http://a/", "/x/y", .any(user: "u", password: "other")) == nil)
    #expect(try recall("http://a/", "/x/y", .digest(user: "u", password: "p")) == nil)
    let proxy = AuthSpace(try Proxy("http://a:80"))
    #expect(memory.recall(of: proxy, for: credentials, target: "/x/y") { _ in true } == nil)
  }

  @Test("of several realms the nearest is taken, then the last")
  func realms() throws {
    let a = try space("http://a/")
    memory.learn(try digest("one"), of: a, for: credentials, target: "/one/x")
    memory.learn(try digest("two"), of: a, for: credentials, target: "/two/x?y=/one/")
    #expect(try recall("http://a/", "/one/z") == "one n 1")
    #expect(try recall("http://a/", "/two/deep/z") == "two n 1")
    #expect(try recall("http://a/", "/z") == "two n 2")
    // Asked for in a third place, the realm is known to be wider.
    memory.learn(try digest("one", nonce: "m"), of: a, for: credentials, target: "/other")
    #expect(try recall("http://a/", "/z") == "one m 1")
    #expect(try recall("http://a/", "/two/z") == "two n 3")
  }

  @Test("Basic is said only in and below the directory that asked for it")
  func basic() throws {
    let a = try space("http://a/")
    memory.learn(.basic, of: a, for: credentials, target: "/in/side/x")
    #expect(try recall("http://a/", "/in/side/") == "basic" && recall("http://a/", "/in/side/deep/x?y") == "basic")
    #expect(try recall("http://a/", "/in/") == nil && recall("http://a/", "/in/sideways/x") == nil && recall("http://a/", "/") == nil)
    memory.learn(.basic, of: a, for: credentials, target: "/in/sideways/x")
    #expect(try recall("http://a/", "/in/x") == "basic" && recall("http://a/", "/x") == nil)
  }

  @Test("what was wrong is forgotten, and what is announced is next")
  func changes() throws {
    let a = try space("http://a/")
    memory.learn(try digest("r"), of: a, for: credentials, target: "/")
    memory.read(info: "nextnonce=\"m\"", realm: "r", of: a, for: credentials)
    memory.read(info: "nextnonce=\"x\"", realm: "other", of: a, for: credentials)
    #expect(try recall("http://a/", "/") == "r m 1")
    memory.forget("other", of: a, for: credentials)
    #expect(try recall("http://a/", "/") == "r m 2")
    memory.forget("r", of: a, for: credentials)
    #expect(try recall("http://a/", "/") == nil && memory.count == 0)
  }

  @Test("origins and realms are bounded, and the last used stay")
  func bounds() throws {
    for index in 0..<AuthMemory.maximumEntries + 100 {
      memory.learn(try digest("r"), of: try space("http://h\(index)/"), for: credentials, target: "/")
      if index % 10 == 0 { #expect(try recall("http://h0/", "/") != nil) }
    }
    #expect(memory.count == AuthMemory.maximumEntries)
    #expect(try recall("http://h0/", "/") != nil && recall("http://h1/", "/") == nil)
    for index in 0..<AuthMemory.maximumScopes + 2 {
      memory.learn(try digest("r\(index)"), of: try space("http://s/"), for: credentials, target: "/\(index)/")
    }
    #expect(try recall("http://s/", "/0/x") == "r9 n 1" && recall("http://s/", "/2/x") == "r2 n 1")
  }
}

extension AuthMemory {
  fileprivate func learn(_ choice: AuthChoice, of space: AuthSpace, for credentials: HttpCredentials, target: String) {
    learn(choice, of: space, for: credentials, target: target) { _ in }
  }
}
