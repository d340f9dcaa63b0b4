import FoundationEssentials
import HttpWire
import Testing

@testable import Errand

private struct Find: HttpCall {
  typealias Response = [String]
  enum CodingKeys: String, CodingKey {
    case text = "q"
    case perPage, tags, exact, price, since, id
  }
  static let keyMapping = ["perPage": "per_page"]
  static let leftOut: Set<String> = ["id"]

  var path: String { "/shops/\(id)/items" }
  var text = "lamp & co"
  var perPage: Int?
  var tags: [String] = []
  var exact: Bool?
  var price: Double?
  var since: Date?
  var id = 7
}

private struct Create: HttpCall {
  struct Size: Encodable { var height = 2 }
  typealias Response = NoContent
  static let bodyKind = CallBody.json
  static let keyMapping = ["name": "title"]
  static let leftOut: Set<String> = ["secret"]
  let path = "items"
  var name = "lamp"
  var size = Size()
  var parts = [[1, 2], []]
  var note: String?
  var secret = "s"
}

private struct Nothing: HttpCall {
  typealias Response = NoContent
  let path = "/ping"
}

private struct Odd: HttpCall {
  typealias Response = NoContent
  static let bodyKind = CallBody.query
  let path = "/x?y=1#z"
  var method: HttpMethod { .put }
  var headers: HttpHeaders { ["X-One": "1"] }
  let baseUrl: String? = "http://call.test/base/"
  var a = "ä+"
  func adjust(_ request: inout HttpRequest) { request.tag = 9 }
}

private struct Nested: HttpCall {
  typealias Response = NoContent
  let path = "/"
  var size = Create.Size()
}

private struct NestedInArray: HttpCall {
  typealias Response = NoContent
  let path = "/"
  var sizes = [[1]]
}

private struct Infinite: HttpCall {
  typealias Response = NoContent
  let path = "/"
  var price = Double.infinity
}

private struct Bare: HttpCall {
  typealias Response = NoContent
  let path = "/"
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(3)
  }
}

private struct Picky: HttpCall {
  struct Reason: Error {}
  typealias Response = NoContent
  let path = "/"
  func adjust(_ request: inout HttpRequest) throws { throw Reason() }
}

@Suite struct HttpCallTests {
  private static let base = "https://api.test/v2"

  @Test func propertiesAreParametersByTheirNamesInTheirOrder() throws {
    var call = Find()
    call.perPage = 20
    call.tags = ["a", "b"]
    call.exact = true
    call.price = 2.5
    call.since = Date(timeIntervalSince1970: 0)
    let request = try call.makeRequest(to: Self.base)
    #expect(request.url == "https://api.test/v2/shops/7/items")
    #expect(request.method == .get && request.body == nil)
    #expect(
      request.params == [
        HttpParam("q", "lamp & co"), HttpParam("per_page", "20"), HttpParam("tags", "a"), HttpParam("tags", "b"),
        HttpParam("exact", "true"),
        HttpParam("price", "2.5"), HttpParam("since", "1970-01-01T00:00:00Z"),
      ])
  }

  @Test func whatIsNilOrLeftOutIsNoParameter() throws {
    #expect(try Find().makeRequest(to: Self.base).params == [HttpParam("q", "lamp & co")])
  }

  @Test func jsonHoldsObjectsAndArraysOfAnyKind() throws {
    let request = try Create().makeRequest(to: Self.base + "/")
    #expect(request.url == "https://api.test/v2/items" && request.method == .post)
    #expect(request.body == .json(Array(#"{"title":"lamp","size":{"height":2},"parts":[[1,2],[]]}"#.utf8)))
  }

  @Test func aCallWithoutPropertiesHasNoParameters() throws {
    let request = try Nothing().makeRequest(to: Self.base)
    #expect(request.url == "https://api.test/v2/ping" && request.params.isEmpty && request.body == nil)
  }

  @Test func aCallSaysItsMethodHeadersBaseAndMore() throws {
    let request = try Odd().makeRequest()
    #expect(request.url == "http://call.test/base/x?y=1&a=%C3%A4%2B")
    #expect(request.method == .put && request.headers == ["X-One": "1"] && request.tag == 9)
    #expect(try Odd().makeRequest(to: Self.base).url == "https://api.test/v2/x?y=1&a=%C3%A4%2B", "the sender's base counts first")
  }

  @Test func aFormIsABody() throws {
    struct Login: HttpCall {
      typealias Response = NoContent
      static let bodyKind = CallBody.form
      let path = "login"
      var user = "a"
      var password = "b c"
    }
    #expect(try Login().makeRequest(to: Self.base).body == .form([HttpParam("user", "a"), HttpParam("password", "b c")]))
  }

  @Test func whatCantBeSentIsRefusedInWords() {
    func refusal(_ call: some HttpCall, to base: String? = Self.base) -> HttpClientError? {
      do throws(HttpClientError) {
        _ = try call.makeRequest(to: base)
        return nil
      } catch {
        return error
      }
    }
    let rows: [(HttpClientError?, field: String, message: String)] = [
      (refusal(Nested()), "params", "size is an object, which a query or form can't hold; bodyKind .json can"),
      (refusal(NestedInArray()), "params", "an element of sizes is no plain value, which a query or form can't hold; bodyKind .json can"),
      (refusal(Infinite()), "params", "Infinite can't be encoded: at price: Unable to encode Double.inf directly in JSON."),
      (refusal(Bare()), "params", "Bare does not encode as an object, and so has no parameters"),
      (refusal(Nothing(), to: nil), "url", "Nothing has neither a base URL nor a service"),
      (refusal(Picky()), "request", "Picky can't be sent: Reason()"),
      (
        refusal(Nothing(), to: "http://u:secret@h?x"), "url",
        "the base URL http://***@h?x can't be used: it has a query or a fragment"
      ),
      (refusal(Nothing(), to: "ftp://x"), "url", "the base URL ftp://x can't be used: the URL's scheme is neither http nor https"),
    ]
    for (error, field, message) in rows {
      #expect(error?.code == .invalidRequest && error?.field == field)
      #expect(error?.message == message)
    }
  }

  struct Join: Sendable, CustomTestStringConvertible {
    let base: String
    let path: String
    /// nil: refused.
    let url: String?
    var testDescription: String { "\(base) + \(path)" }
  }

  @Test(arguments: [
    Join(base: "http://h", path: "", url: "http://h"),
    Join(base: "http://h/", path: "", url: "http://h/"),
    Join(base: "http://h", path: "a", url: "http://h/a"),
    Join(base: "http://h/", path: "/a", url: "http://h/a"),
    Join(base: "http://h/v1", path: "a/b?c=/../d", url: "http://h/v1/a/b?c=/../d"),
    Join(base: "http://h/v1/", path: "?q=1", url: "http://h/v1/?q=1"),
    Join(base: "http://h/v1", path: "?q=1", url: "http://h/v1?q=1"),
    Join(base: "http://h/v1", path: "//evil.test/a", url: "http://h/v1//evil.test/a"),
    Join(base: "http://h", path: "//evil.test/a", url: "http://h//evil.test/a"),
    Join(base: "http://h", path: "@evil.test/", url: "http://h/@evil.test/"),
    Join(base: "http://h", path: ":80", url: "http://h/:80"),
    Join(base: "http://h", path: "http://evil.test/", url: "http://h/http://evil.test/"),
    Join(base: "http://h/v1", path: "../admin", url: nil),
    Join(base: "http://h/v1", path: "a/%2e%2E/b", url: nil),
    Join(base: "http://h/v1", path: "a/.%2e", url: nil),
    Join(base: "http://h/v1", path: "./a", url: nil),
    Join(base: "http://h/v1", path: "a/.../b..c/.d", url: "http://h/v1/a/.../b..c/.d"),
    Join(base: "http://h/v1?k=1", path: "a", url: nil),
    Join(base: "http://h/v1#f", path: "a", url: nil),
    Join(base: "h/v1", path: "a", url: nil),
    Join(base: "", path: "a", url: nil),
  ])
  func aPathStandsBelowItsBase(join: Join) {
    #expect((try? BaseUrl.join(join.base, join.path)) == join.url)
  }

  @Test(arguments: [
    ("http://h/a", "http://h/a?b=c"), ("http://h/a?x", "http://h/a?x&b=c"), ("http://h/a?", "http://h/a?b=c"),
    ("http://h/a?x&", "http://h/a?x&b=c"), ("http://h/a#f", "http://h/a?b=c"), ("http://h/a?x#f?", "http://h/a?x&b=c"),
  ])
  func pairsAreAddedToAQuery(url: String, whole: String) {
    #expect(BaseUrl.adding([HttpParam("b", "c")], to: url) == whole)
    #expect(BaseUrl.adding([], to: url) == url)
  }

  @Test func aBodyIsEncodedFromAnyType() throws {
    struct Item: Encodable {
      var name = "a/b"
      var at = Date(timeIntervalSince1970: 0)
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(try HttpBody.json(encoding: Item(), encoder: encoder) == .json(Array(#"{"at":0,"name":"a/b"}"#.utf8)))
    #expect(try HttpBody.json(encoding: [1, 2]) == .json(Array("[1,2]".utf8)))
    let error = #expect(throws: HttpClientError.self) { try HttpBody.json(encoding: ["a": Double.nan]) }
    #expect(error?.code == .invalidRequest && error?.field == "body")
    #expect(error?.message.contains("at a: ") == true)
  }
}
