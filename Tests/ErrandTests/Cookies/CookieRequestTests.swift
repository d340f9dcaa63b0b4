import HttpWire
import Testing

@testable import Errand

/// Cookies in requests and answers, through the whole engine.
struct CookieRequestTests {
  /// `/set…` sets a cookie and sends on to what follows in its target; everything else answers with the cookies that it got.
  @LoopActor static func script(_ connection: PeerConnection, _ request: SeenRequest) {
    if request.target.hasPrefix("/set") {
      let next = String(request.target.dropFirst(4))
      return connection.answer("", status: 302, fields: "Set-Cookie: sid=1; Path=/\r\nLocation: \(next.isEmpty ? "/end" : next)\r\n")
    }
    connection.answer(request.head.headers["Cookie"] ?? "none")
  }

  @Test func setOnARedirectItIsSentOnTheNextHop() async throws {
    let jar = CookieJar()
    try await scene(.test { $0.cookies = jar }, CookieRequestTests.script) { client, peer in
      #expect(await client.text(HttpRequest(await peer.url("/set"))) == "sid=1")
      #expect(await client.text(HttpRequest(await peer.url("/other"))) == "sid=1")
      #expect(jar.cookies().map(\.name) == ["sid"])
    }
  }

  @Test func withoutAJarNothingIsSentOrKept() async throws {
    try await scene(CookieRequestTests.script) { client, peer in
      #expect(await client.text(HttpRequest(await peer.url("/set"))) == "none")
    }
  }

  @Test func aRequestMayHaveAJarOfItsOwnOrNone() async throws {
    let (jar, own) = (CookieJar(), CookieJar())
    try await scene(.test { $0.cookies = jar }, CookieRequestTests.script) { client, peer in
      var request = HttpRequest(await peer.url("/set"))
      request.cookies = .jar(own)
      #expect(await client.text(request) == "sid=1")
      #expect(jar.cookies().isEmpty && own.cookies().count == 1)
      request.cookies = .none
      #expect(await client.text(request) == "none")
    }
  }

  @Test func theCallersOwnCookiesGoBeforeThoseOfTheJarInOneField() async throws {
    try await scene(.test { $0.cookies = CookieJar() }, CookieRequestTests.script) { client, peer in
      #expect(await client.text(HttpRequest(await peer.url("/set"), headers: ["Cookie": "a=b"])) == "a=b; sid=1")
    }
  }

  @Test func anAnswerThatSetsACookieAndSendsToTheSamePlaceIsNoCircle() async throws {
    let jar = CookieJar()
    try await scene(.test { $0.cookies = jar }) { connection, request in
      if request.head.headers["Cookie"] == nil {
        connection.answer("", status: 302, fields: "Set-Cookie: seen=1\r\nLocation: \(request.target)\r\n")
      } else {
        connection.answer("in")
      }
    } test: { client, peer in
      #expect(await client.text(HttpRequest(await peer.url("/wall"))) == "in")
      // One that will not keep cookies goes round once.
      var request = HttpRequest(await peer.url("/wall"))
      request.cookies = .none
      let error = try await client.failure(request)
      #expect(error.code == .tooManyRedirects)
    }
  }

  @Test func aStrictCookieStaysAtHomeWhenAnotherSiteLedHere() async throws {
    let jar = CookieJar()
    try await scene(.test { $0.cookies = jar }) { connection, request in
      switch request.target {
      case "/lead": connection.answer("", status: 302, fields: "Location: http://localhost:\(request.head.headers["X-Port"] ?? "")/end\r\n")
      default: connection.answer(request.head.headers["Cookie"] ?? "none")
      }
    } test: { client, peer in
      let port = await peer.address.port ?? 0
      let home = try HttpUrl("http://localhost:\(port)/")
      jar.store(["Set-Cookie": "strict=1; SameSite=Strict"], from: home)
      jar.store(["Set-Cookie": "lax=1; SameSite=Lax"], from: home)
      #expect(await client.text(HttpRequest("http://localhost:\(port)/end")) == "strict=1; lax=1")
      #expect(await client.text(HttpRequest(await peer.url("/lead"), headers: ["X-Port": "\(port)"])) == "lax=1")
    }
  }
}
