import HttpWire
import TestSupport
import Testing

@Suite("Redirect rules")
struct RedirectRulesTests {
  /// What the request was sent with, as its fields tell it.
  enum Body: CaseIterable {
    case none
    case sized
    case chunked

    var fields: HttpHeaders {
      switch self {
      case .none: [:]
      case .sized: ["Content-Type": "text/plain", "Content-Length": "3", "Content-Encoding": "gzip", "Repr-Digest": "sha-256=:AA==:"]
      case .chunked: ["content-type": "text/plain", "Transfer-Encoding": "chunked", "Trailer": "X", "Expect": "100-continue"]
      }
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var status: Int
    var method: HttpMethod
    var body: Body
    var testDescription: String { "\(status) \(method) \(body)" }
  }

  static let methods: [HttpMethod] = [.get, .head, .post, .put, .delete, .patch, .options]
  static let redirects = [301, 302, 303, 307, 308]
  static let cases = redirects.flatMap { status in
    methods.flatMap { method in Body.allCases.map { Case(status: status, method: method, body: $0) } }
  }
  /// For each status the method that each of `methods` becomes, with `!` where the body is dropped.
  static let table: [Int: [String]] = [
    301: ["GET", "HEAD", "GET!", "PUT", "DELETE", "PATCH", "OPTIONS"],
    302: ["GET", "HEAD", "GET!", "PUT", "DELETE", "PATCH", "OPTIONS"],
    303: ["GET!", "HEAD!", "GET!", "GET!", "GET!", "GET!", "GET!"],
    307: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"],
    308: ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"],
  ]

  @Test("every status, method and kind of body has its meaning (RFC 9110 15.4)", arguments: cases)
  func meaning(given: Case) throws {
    let from = try HttpUrl("http://a/b/c?d")
    let index = try #require(Self.methods.firstIndex(of: given.method))
    let expected = try #require(Self.table[given.status]?[index])
    let decision = RedirectRules.decide(status: given.status, method: given.method, from: from, location: "../e")
    guard case .to(let target) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(target.url.description == "http://a/e" && !target.isCrossOrigin && !target.isDowngrade)
    #expect(target.method.rawValue + (target.keepsBody ? "" : "!") == expected)

    var request = given.body.fields
    request.append("Accept", "*/*")
    request.append("Authorization", "Bearer x")
    let fields = RedirectRules.fields(request, for: target)
    #expect(fields == (target.keepsBody ? request : ["Accept": "*/*", "Authorization": "Bearer x"]))
  }

  @Test(
    "other statuses are answers, whatever their Location says",
    arguments: [200, 201, 204, 300, 304, 305, 306, 309, 399, 401, 500, 0, -1])
  func answers(status: Int) throws {
    let from = try HttpUrl("http://a/")
    for method in Self.methods {
      for location in ["/x", "", "ftp://x/"] {
        #expect(RedirectRules.decide(status: status, method: method, from: from, location: location) == .notARedirect)
        #expect(RedirectRules.decide(status: status, method: method, from: from, headers: ["Location": location]) == .notARedirect)
      }
    }
  }

  @Test(
    "going to another origin and from https to http is told",
    arguments: [
      ("http://a/", "http://a/x", false, false), ("http://a/", "/x", false, false), ("http://a:80/", "//a/x", false, false),
      ("http://a/", "https://a/", true, false), ("https://a/", "http://a/", true, true), ("https://a/", "//b/", true, false),
      ("http://a/", "http://a:81/", true, false), ("https://a/", "http://b:443/", true, true),
      ("https://a/", "https://A:443/?q", false, false),
    ])
  func origins(from: String, location: String, isCrossOrigin: Bool, isDowngrade: Bool) throws {
    let decision = RedirectRules.decide(status: 302, method: .get, from: try HttpUrl(from), location: location)
    guard case .to(let target) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(target.isCrossOrigin == isCrossOrigin && target.isDowngrade == isDowngrade)
  }

  @Test(
    "a Location that leads nowhere is malformed and says why",
    arguments: [
      ("", "is empty"), ("  ", "is empty"), ("ftp://a/", "\"ftp\""), ("file:///etc/passwd", "\"file\""), ("data:text/html,x", "\"data\""),
      ("javascript:alert(1)", "\"javascript\""), ("http://", "no host"), ("http://a b/", "host"), ("/a\u{1}", "control character"),
      ("http://a:99999/", "port"), ("//", "no host"),
      ("http://me:hush@a/", "credentials"), ("//me@b/", "credentials"),
    ])
  func malformed(location: String, words: String) throws {
    for status in Self.redirects {
      for decision in [
        RedirectRules.decide(status: status, method: .get, from: try HttpUrl("http://a/"), location: location),
        RedirectRules.decide(status: status, method: .get, from: try HttpUrl("http://a/"), headers: ["Location": location]),
      ] {
        guard case .malformed(let reason) = decision else {
          Issue.record("\(decision)")
          continue
        }
        #expect(reason.contains(words) && reason.contains("\(status)") && !reason.contains("hush"))
      }
    }
  }

  @Test("no Location, and several that differ, are malformed; the same one twice is one")
  func howMany() throws {
    let from = try HttpUrl("http://a/")
    let decide = { (headers: HttpHeaders) in RedirectRules.decide(status: 302, method: .get, from: from, headers: headers) }
    #expect(RedirectRules.decide(status: 302, method: .get, from: from, location: nil) == .malformed("the response 302 has no Location"))
    #expect(decide([:]) == .malformed("the response 302 has no Location"))
    #expect(decide(["Location": "/x", "location": "/y"]) == .malformed("the response 302 has 2 Locations that differ"))
    #expect(decide(["Location": "/x", "LOCATION": "/x"]) == decide(["Location": "/x"]))
  }

  @Test("bytes that are not UTF-8 are encoded as they came")
  func latin1() throws {
    var headers = HttpHeaders()
    Array("Location".utf8).withUnsafeBytes { name in
      [UInt8]("/caf".utf8 + [0xE9]).withUnsafeBytes { headers.append(name: name, value: $0) }
    }
    guard case .to(let target) = RedirectRules.decide(status: 301, method: .get, from: try HttpUrl("http://a/"), headers: headers) else {
      Issue.record("not a redirect")
      return
    }
    #expect(target.url.target == "/caf%E9")
  }

  @Test("credentials, cookies and Host stay behind when the origin changes, whoever set them")
  func credentials() throws {
    let request: HttpHeaders = [
      "authorization": "Basic eDp5", "Cookie": "a=b", "PROXY-Authorization": "Basic eDp5", "Host": "a", "Accept": "*/*",
      "Content-Type": "a/b",
    ]
    let target = { (url: String) throws in
      RedirectTarget(url: try HttpUrl(url), method: .post, keepsBody: true, isCrossOrigin: url != "http://a/", isDowngrade: false)
    }
    #expect(RedirectRules.fields(request, for: try target("http://b/")) == ["Accept": "*/*", "Content-Type": "a/b"])
    #expect(RedirectRules.fields(request, for: try target("http://a/")) == request)
  }
}
