import HttpWire
import Testing

@Suite("Basic, Bearer and credentials")
struct BasicAuthTests {
  @Test(
    "user and password are one base64 text in UTF-8 (RFC 7617)",
    arguments: [
      ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="), ("", "", "Basic Og=="),
      ("a", "b:c:", "Basic YTpiOmM6"), ("", "p", "Basic OnA="), ("ü", "", "Basic w7w6"),
    ])
  func basic(user: String, password: String, value: String) throws {
    #expect(try BasicAuth.value(user: user, password: password) == value)
    #expect(try HttpCredentials.basic(user: user, password: password).firstAuthorization() == value)
  }

  @Test(
    "what Basic has no form for is refused, and not repeated",
    arguments: [("a:b", "secret"), ("a\n", "secret"), ("a", "secret\r\n"), ("a\0", "secret"), ("a", "secret\u{7F}")])
  func refusedBasic(user: String, password: String) {
    let error = #expect(throws: WireError.self) { try BasicAuth.value(user: user, password: password) }
    #expect(error?.kind == .invalid && error?.message.contains("secret") == false)
    #expect(throws: WireError.self) { try HttpCredentials.basic(user: user, password: password).check() }
  }

  @Test("Digest takes a colon in the user, and no controls")
  func digestUser() throws {
    try HttpCredentials.digest(user: "a:b", password: "c").check()
    try HttpCredentials.any(user: "a:b", password: "c").check()
    #expect(throws: WireError.self) { try HttpCredentials.any(user: "a\r\nX: y", password: "c").check() }
    #expect(throws: WireError.self) { try HttpCredentials.digest(user: "a", password: "c\u{1}").check() }
  }

  @Test("a bearer token is visible ASCII", arguments: ["mF_9.B5f-4.1JqM", "a==", "1|abc", "{x}", String(repeating: "a", count: 65_536)])
  func bearer(token: String) throws {
    #expect(try BearerAuth.value(token: token) == "Bearer \(token)")
    #expect(try HttpCredentials.bearer(token).firstAuthorization() == "Bearer \(token)")
  }

  @Test(
    "what is no bearer token is refused, and not repeated",
    arguments: ["", " ", "secret ", "sec ret", "secret\r\n", "secret\0", "sécret", String(repeating: "a", count: 65_537)])
  func refusedBearer(token: String) {
    let error = #expect(throws: WireError.self) { try BearerAuth.value(token: token) }
    #expect(error?.kind == .invalid && (error?.message.count ?? 0) < 100 && error?.message.contains("secret") == false)
  }

  @Test("credentials that wait for a challenge send nothing at first")
  func waiting() throws {
    #expect(try HttpCredentials.any(user: "a", password: "b").firstAuthorization() == nil)
    #expect(try HttpCredentials.digest(user: "a", password: "b").firstAuthorization() == nil)
  }

  @Test(
    "credentials show nothing of themselves",
    arguments: [
      HttpCredentials.basic(user: "me", password: "secret"), .digest(user: "me", password: "secret"), .any(user: "me", password: "secret"),
      .bearer("secret"),
    ])
  func hidden(credentials: HttpCredentials) {
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect("\(credentials)" == "***" && String(reflecting: credentials) == "***" && !dumped.contains("secret") && !dumped.contains("115"))
  }
}
