import Testing

@testable import HttpWire

@Suite struct CacheVariantTests {
  /// Vary; fields of the request that was answered; fields of another; whether the response answers it too.
  @Test(
    arguments: [
      ("", "Accept: a/b", "Accept: c/d", true), ("Vary: Accept", "Accept: a/b", "Accept: a/b", true),
      ("Vary: Accept", "Accept: a/b", "Accept: c/d", false), ("Vary: ACCEPT", "accept: a/b", "Accept: a/b", true),
      ("Vary: Accept", "GET", "GET", true), ("Vary: Accept", "GET", "Accept: a/b", false), ("Vary: Accept", "Accept: a/b", "GET", false),
      ("Vary: Accept", "Accept: ", "GET", false), ("Vary: X-A", "X-A: ", "X-A: ", true),
      // All fields have to match.
      ("Vary: Accept, X-A", "Accept: a/b | X-A: 1", "X-A: 1 | Accept: a/b", true),
      ("Vary: Accept, X-A", "Accept: a/b | X-A: 1", "Accept: a/b | X-A: 2", false),
      ("Vary: Accept | Vary: X-A", "Accept: a/b | X-A: 1", "Accept: a/b | X-A: 2", false),
      ("Vary: X-A, x-a,, X-A", "X-A: 1", "X-A: 1", true), ("Vary: X-A", "X-A: 1 | X-B: 1", "X-A: 1 | X-B: 2", true),
      ("Vary: X-A, X-B", "X-A: 1", "X-B: 1", false), ("Vary: X-A, X-B", "X-A: 1 | X-B: 2", "X-A: 2 | X-B: 1", false),
      // What makes no difference in the field's own syntax.
      ("Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: gzip,br", true),
      ("Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: gzip | Accept-Encoding: br", true),
      ("Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: ,gzip ,, br,", true),
      ("Vary: Accept-Encoding", "Accept-Encoding: gzip;q=0.5", "Accept-Encoding: GZIP ; Q=0.5", true),
      ("Vary: Accept-Encoding", "Accept-Encoding: gzip, br", "Accept-Encoding: br, gzip", false),
      ("Vary: Accept-Language", "Accept-Language: de-CH", "Accept-Language: de-ch", true),
      ("Vary: Accept-Language", "Accept-Language: da, en", "Accept-Language: en, da", false),
      ("Vary: Accept", "Accept: a/b;x=\"1, 2\"", "Accept: a/b;x=\"1,2\"", false),
      ("Vary: Accept", "Accept: a/b; x=Y", "Accept: a/b; x=y", false),
      ("Vary: Accept", "Accept: a/b, c/d", "Accept: a/b|Accept: c/d", true),
      // Of other fields nothing is known but that their lines make one.
      ("Vary: X-A", "X-A: a, b", "X-A: a,b", false), ("Vary: X-A", "X-A: a", "X-A: A", false),
      ("Vary: X-A", "X-A: a | X-A: b", "X-A: a,b", true),
      ("Vary: User-Agent", "User-Agent: a (b, c)", "User-Agent: a (b,c)", false), ("Vary: Cookie", "Cookie: a=b", "Cookie: a=c", false),
      // One value can't pass for two.
      ("Vary: X-A, X-B", "X-A: 1x-b:1:2", "X-A: 1 | X-B: 2", false),
      // Who asks is a part of the key.
      ("", "Authorization: Bearer a", "Authorization: Bearer b", true), ("", "GET", "Authorization: Bearer a", true),
      ("Vary: Authorization", "Authorization: Bearer a", "Authorization: Bearer b", true),
      ("Vary: authorization, Accept", "Accept: a/b | Authorization: Bearer a", "Accept: a/b", true),
      ("Vary: authorization, Accept", "Accept: a/b | Authorization: Bearer a", "Accept: c/d | Authorization: Bearer a", false),
    ] as [(String, String, String, Bool)]) func `which requests a response answers`(
      vary: String, asked: String, other: String, matches: Bool
    ) throws
  {
    let variant = try #require(CacheVariant(response: fields(vary), to: request(asked).headers))
    #expect(try variant.matches(request(other).headers) == matches)
    #expect(try variant.matches(request(asked).headers))
  }

  @Test func `names are sorted and kept once`() {
    let vary: HttpHeaders = ["Vary": "X-B, accept", "vary": "x-b , X-A,"]
    #expect(CacheVariant(response: vary, to: [:])?.fields == ["accept", "x-a", "x-b"])
  }

  @Test func `too many names are like a star`() {
    let names = (0..<CacheVariant.maximumFields).map { "x-\($0)" }
    #expect(CacheVariant(response: ["Vary": names.joined(separator: ",")], to: [:]) != nil)
    #expect(CacheVariant(response: ["Vary": (names + ["y"]).joined(separator: ",")], to: [:]) == nil)
  }

  @Test func `a key is of the URL without its fragment, and of its partition`() throws {
    func key(_ url: String, _ partition: String = "") throws -> CacheKey { CacheKey(try HttpUrl(url), partition: partition) }
    let base = try key("http://a.example/x?y")
    #expect(try base == key("HTTP://A.example:80/x?y#z"))
    for other in [
      "https://a.example/x?y", "http://b.example/x?y", "http://a.example:81/x?y", "http://a.example/X?y", "http://a.example/x?z",
      "http://a.example/x",
      "http://u@a.example/x?y", "http://u:p@a.example/x?y", "http://a.example/x?y=",
    ] {
      #expect(try base != key(other), "\(other)")
    }
    #expect(try key("http://u:p@a.example/") != key("http://u:q@a.example/"))
    #expect(try base != key("http://a.example/x?y", "owner"))
    #expect(try key("http://a.example/x?y", "one") != key("http://a.example/x?y", "other"))
  }

  @Test func `a key is of who asks, whose resource is one for all`() throws {
    let url = try HttpUrl("http://a.example/")
    let askers = [
      .nobody, CacheAsker(.basic(user: "a", password: "b")), CacheAsker(.basic(user: "ab", password: "")),
      CacheAsker(.digest(user: "a", password: "b")), CacheAsker(.any(user: "a", password: "b")), CacheAsker(.bearer("a")),
      CacheAsker(.bearer("b")), CacheAsker(["Authorization": "Bearer a"]), CacheAsker(["Authorization": "Bearer b"]),
      CacheAsker(["Authorization": ""]), CacheAsker.nobody.with(identity: [1]), CacheAsker(.bearer("a")).with(identity: [1]),
    ]
    #expect(Set(askers).count == askers.count)
    let keys = askers.map { CacheKey(url, asker: $0) }
    #expect(Set(keys).count == askers.count && Set(keys.map(\.resource)).count == 1)
    #expect(keys[0] == CacheKey(url) && CacheAsker(["Accept": "a/b"]) == .nobody && CacheAsker.nobody.with(identity: []) == .nobody)
    // What stands on disk does not tell that it is the same one elsewhere.
    let other = CacheKey(try HttpUrl("http://a.example/other"), asker: askers[1])
    #expect(other.asker != keys[1].asker)
    #expect(CacheKey(url, place: "/run/a") != CacheKey(url) && CacheKey(url, place: "a") != CacheKey(url, partition: "a"))
  }

  @Test func `a digest is written as hexadecimal digits and read again`() throws {
    let digest = CacheDigest(of: Array("abc".utf8))
    let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    #expect(digest.description == text)
    #expect(CacheDigest(hex: text[...].utf8) == digest)
    for wrong in ["", "ba", String(text.dropLast()), text + "0", text.uppercased(), String(text.dropLast()) + "g"] {
      #expect(CacheDigest(hex: wrong[...].utf8) == nil, "\(wrong)")
    }
  }
}
