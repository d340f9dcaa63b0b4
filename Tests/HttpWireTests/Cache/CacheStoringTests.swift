import Testing

@testable import HttpWire

@Suite struct CacheStoringTests {
  @Test(
    arguments: [
      ("GET", 200, "", true), ("GET", 200, "Cache-Control: max-age=60", true), ("GET", 200, "Cache-Control: private", true),
      ("GET", 200, "Cache-Control: no-cache", true), ("GET", 200, "Cache-Control: no-store", false),
      ("GET", 200, "Cache-Control: No-Store=x", false),
      ("GET", 200, "Cache-Control: max-age=60, no-store", false), ("GET", 200, "Cache-Control: public, no-store", false),
      ("GET", 200, "Cache-Control: no-store | Expires: {60}", false), ("GET", 200, "Set-Cookie: a=b", true), ("GET", 200, "Vary: *", false),
      ("GET", 200, "Vary: Accept, *", false), ("GET", 200, "Vary: Accept | Vary: *", false), ("GET", 200, "Vary: Accept", true),
      ("GET", 200, "Vary: \"x\"", false), ("GET", 200, "Vary: ", true), ("GET", 200, "Pragma: no-cache", true),
      ("Authorization: Bearer x", 200, "", true), ("Authorization: Bearer x", 200, "Cache-Control: max-age=60", true),
      ("Cache-Control: no-store", 200, "Cache-Control: max-age=60", false), ("Cache-Control: no-cache", 200, "", true),
      ("Cache-Control: only-if-cached", 200, "", true), ("Cookie: a=b", 200, "", true),
      ("HEAD", 200, "Cache-Control: max-age=60", false), ("POST", 200, "Cache-Control: max-age=60", false), ("PUT", 200, "", false),
      ("DELETE", 200, "", false), ("OPTIONS", 200, "Cache-Control: max-age=60", false),
      ("GET +body", 200, "Cache-Control: max-age=60", false),
      ("If-None-Match: \"a\"", 200, "Cache-Control: max-age=60", false), ("Range: bytes=0-1", 200, "Cache-Control: max-age=60", false),
      ("Range: bytes=0-1", 206, "Cache-Control: max-age=60", false), ("GET", 206, "Cache-Control: max-age=60", false),
      ("GET", 304, "Cache-Control: max-age=60", false), ("GET", 100, "Cache-Control: max-age=60", false),
      ("GET", 103, "Cache-Control: max-age=60", false), ("GET", 199, "Expires: {60}", false),
      ("GET", 401, "Cache-Control: max-age=60", false), ("GET", 407, "Cache-Control: public", false),
    ] as [(String, Int, String, Bool)]) func `what may be stored`(asked: String, status: Int, told: String, stores: Bool) throws
  {
    #expect(try CacheRules.isStorable(request(asked), status: status, headers: fields(told)) == stores)
  }

  @Test(arguments: [
    200, 201, 202, 203, 204, 300, 301, 302, 303, 307, 308, 400, 402, 403, 404, 405, 409, 410, 414, 418, 429, 500, 501, 502, 503, 504,
    599,
  ]) func `any final status may be stored with leave, some without`(status: Int) {
    for told in ["Cache-Control: max-age=60", "Expires: {60}", "Cache-Control: public", "Cache-Control: private"] {
      #expect(CacheRules.isStorable(CacheRequest(), status: status, headers: fields(told)))
    }
    let needsNone = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    for told in ["", "Last-Modified: {-9}", "ETag: \"a\"", "Cache-Control: s-maxage=60", "Cache-Control: must-revalidate"] {
      #expect(CacheRules.isStorable(CacheRequest(), status: status, headers: fields(told)) == needsNone, "\(told)")
    }
  }

  @Test(
    arguments: [
      (200, "must-understand", true), (200, "must-understand, no-store", true), (404, "must-understand, no-store, max-age=60", true),
      (299, "must-understand, no-store, max-age=60", false), (299, "must-understand, max-age=60", false), (299, "max-age=60", true),
      (451, "must-understand, max-age=60", false),
    ] as [(Int, String, Bool)]) func `must-understand stands above no-store where the status is understood`(
      status: Int, told: String, stores: Bool
    )
  {
    #expect(CacheRules.isStorable(CacheRequest(), status: status, headers: ["Cache-Control": told]) == stores)
  }

  @Test(arguments: CachePolicy.allCases) func `only the policy off keeps responses from being stored`(policy: CachePolicy) {
    #expect(CacheRules.isStorable(CacheRequest(), status: 200, headers: [:], policy: policy) == (policy != .off))
  }

  @Test func `fields of one connection are not stored, all others are, byte for byte`() throws {
    let text =
      "Date: {0} | Connection: close, X-One | connection: X-Two | Keep-Alive: timeout=5 | X-One: 1 | x-two: 2 | X-Three: 3 | "
      + "Transfer-Encoding: chunked | TE: trailers | Upgrade: h2c | Proxy-Authenticate: Basic | Proxy-Authentication-Info: x | "
      + "Proxy-Authorization: Basic x | Proxy-Connection: close | Set-Cookie: a=b | Set-Cookie: c=d | Content-Length: 6 | X-Empty: "
    let entry = try #require(stored(text))
    #expect(
      entry.headers.text == "Date: \(httpDate(cameAt)) | X-Three: 3 | Set-Cookie: a=b | Set-Cookie: c=d | Content-Length: 6 | X-Empty: ")

    var headers: HttpHeaders = ["Connection": "close"]
    let odd: [UInt8] = [0xE9, 0x80, 0xFF]
    odd.withUnsafeBytes { odd in Array("X-Odd".utf8).withUnsafeBytes { headers.append(name: $0, value: odd) } }
    let other = try #require(CacheEntry(status: 200, headers: headers, requestTime: 0, responseTime: 0, to: CacheRequest()))
    #expect(other.headers.block == Array("X-Odd: ".utf8) + odd + [0x0D, 0x0A])
  }
}
