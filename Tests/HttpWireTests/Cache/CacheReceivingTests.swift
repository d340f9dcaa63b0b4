import Testing

@testable import HttpWire

@Suite struct CacheReceivingTests {
  private func answer(
    _ policy: CachePolicy, _ asked: String, _ told: String?, _ status: Int, _ received: String, after seconds: Int64 = 100
  ) throws -> CacheAnswer {
    let request = try request(asked)
    let entry = try told.map { try #require(stored($0, for: request)) }
    return CacheRules.receive(
      status: status, headers: fields(received), for: request, entry: entry, policy: policy, requestTime: cameAt + seconds - 1,
      now: cameAt + seconds)
  }

  /// Stored fields, those of the 304, and what comes of both.
  @Test(
    arguments: [
      ("ETag: \"a\"", "", "keep: ETag: \"a\""), ("ETag: \"a\"", "ETag: \"a\"", "keep: ETag: \"a\""),
      ("ETag: \"a\"", "ETag: \"b\"", "fetch again"), ("ETag: \"a\"", "ETag: W/\"a\"", "keep: ETag: W/\"a\""),
      ("ETag: W/\"a\"", "ETag: W/\"a\"", "keep: ETag: W/\"a\""), ("ETag: W/\"a\"", "ETag: \"b\"", "fetch again"),
      ("ETag: \"a\"", "etag: ", "keep: etag: "), ("Last-Modified: x", "ETag: \"a\"", "keep: Last-Modified: x | ETag: \"a\""),
      ("Cache-Control: max-age=60 | ETag: \"a\"", "cache-control: max-age=90", "keep: ETag: \"a\" | cache-control: max-age=90"),
      ("Cache-Control: max-age=60, private | ETag: \"a\"", "Cache-Control: max-age=90", "keep: ETag: \"a\" | Cache-Control: max-age=90"),
      ("X: 1 | X: 2 | Y: 3", "X: 4 | X: 5", "keep: Y: 3 | X: 4 | X: 5"), ("X: 1", "Y: 2", "keep: X: 1 | Y: 2"),
      ("Set-Cookie: a=b | Set-Cookie: c=d", "Set-Cookie: e=f", "keep: Set-Cookie: e=f"),
      // What describes the body that is stored stays.
      ("Content-Length: 6", "Content-Length: 0", "keep: Content-Length: 6"),
      ("Content-Encoding: gzip", "Content-Encoding: br", "keep: Content-Encoding: gzip"),
      ("Content-Type: text/plain", "Content-Type: text/html", "keep: Content-Type: text/plain"),
      (
        "X: 1", "Content-Length: 0 | Content-Range: bytes 0-1/2 | Transfer-Encoding: chunked | Connection: Z | Z: 1 | Keep-Alive: x",
        "keep: X: 1"
      ),
      // Times of the stored response would be wrong beside the new ones.
      ("Age: 90 | X: 1", "", "keep: X: 1"), ("Age: 90 | X: 1", "Age: 5", "keep: X: 1 | Age: 5"), ("Date: {0} | X: 1", "", "keep: X: 1"),
      ("Date: {0} | X: 1", "Date: {100}", "keep: X: 1 | Date: \(httpDate(cameAt + 100))"),
      ("Last-Modified: {-9}", "Last-Modified: {-5}", "keep: Last-Modified: \(httpDate(cameAt - 5))"),
      // The server wants it stored no more.
      ("ETag: \"a\"", "Cache-Control: no-store", "forget: ETag: \"a\" | Cache-Control: no-store"),
      ("ETag: \"a\"", "Vary: *", "forget: ETag: \"a\" | Vary: *"),
    ] as [(String, String, String)]) func `a 304 brings the stored response up to date`(told: String, received: String, words: String)
    throws
  {
    // Without a validator there would be no 304.
    let isWhole = told.contains("ETag") || told.contains("Last-Modified")
    let told = isWhole ? told : "Last-Modified: x | " + told
    let words = isWhole ? words : "keep: Last-Modified: x | " + words.dropFirst(6)
    #expect(try answer(.default, "GET", told, 304, received).words == words)
    #expect(try answer(.revalidate, "HEAD", told, 304, received).words == words)
  }

  @Test func `a validated response is as young as its validation`() throws {
    let told = "Date: {0} | Cache-Control: max-age=60 | Age: 30 | ETag: \"a\""
    guard case .notModified(let entry, keeps: true) = try answer(.default, "GET", told, 304, "Date: {100}") else {
      Issue.record("not kept")
      return
    }
    #expect(entry.body == Array("stored".utf8))
    #expect(CacheRules.age(entry, now: cameAt + 100) == 1)
    #expect(CacheRules.timeToLive(entry, now: cameAt + 130) == 29)
  }

  @Test func `a 304 may change what the response varies by`() throws {
    let request = CacheRequest(headers: ["Accept": "a/b"])
    let entry = try #require(stored("ETag: \"a\"", for: request))
    let answer = CacheRules.receive(
      status: 304, headers: ["Vary": "Accept"], for: request, entry: entry, policy: .default, requestTime: cameAt, now: cameAt)
    guard case .notModified(let fresh, keeps: true) = answer else {
      Issue.record("not kept")
      return
    }
    #expect(fresh.variant.fields == ["accept"])
    #expect(fresh.variant.matches(request.headers))
    #expect(!fresh.variant.matches(["Accept": "c/d"]))
  }

  /// Policy, request, what is stored, the status and fields that came, and the answer.
  @Test(
    arguments: [
      (.default, "GET", nil, 200, "Cache-Control: max-age=60", "pass, store"),
      (.default, "GET", nil, 200, "Cache-Control: no-store", "pass"),
      (.default, "GET", nil, 304, "", "pass"), (.default, "If-None-Match: \"a\"", nil, 304, "", "pass"),
      (.off, "GET", nil, 200, "", "pass"),
      (.default, "GET", nil, 206, "", "pass"), (.default, "GET", nil, 503, "", "pass"), (.default, "HEAD", nil, 200, "", "pass"),
      (.default, "POST", nil, 200, "", "pass"), (.reload, "GET", nil, 200, "", "pass, store"),
      (.fallback, "GET", nil, 200, "", "pass, store"),
      (.revalidate, "GET", "ETag: \"a\"", 200, "ETag: \"b\"", "pass, store"),
      (.default, "GET", "ETag: \"a\"", 200, "ETag: \"b\"", "pass, store"),
      // The stored response is outdated by one that is not stored.
      (.default, "GET", "ETag: \"a\"", 200, "Cache-Control: no-store", "pass, drop"),
      (.default, "GET", "ETag: \"a\"", 200, "Vary: *", "pass, drop"),
      (.default, "GET", "ETag: \"a\"", 302, "Location: /", "pass, drop"),
      (.default, "GET", "ETag: \"a\"", 404, "Cache-Control: no-store", "pass, drop"),
      (.default, "GET", "ETag: \"a\"", 410, "Cache-Control: no-store", "pass, drop"),
      (.default, "Cache-Control: no-store", "ETag: \"a\"", 200, "", "pass, drop"),
      // These speak of the request.
      (.default, "GET", "ETag: \"a\"", 401, "", "pass"), (.default, "GET", "ETag: \"a\"", 403, "", "pass"),
      (.default, "GET", "ETag: \"a\"", 429, "", "pass"),
      (.default, "GET", "ETag: \"a\"", 500, "", "pass"), (.default, "GET", "ETag: \"a\"", 503, "", "pass"),
      (.default, "GET", "ETag: \"a\"", 206, "", "pass"),
      (.default, "POST", "ETag: \"a\"", 200, "", "pass"), (.off, "GET", "ETag: \"a\"", 200, "Cache-Control: no-store", "pass"),
      // A 304 that nobody asked for.
      (.reload, "GET", "ETag: \"a\"", 304, "ETag: \"a\"", "pass"), (.default, "Cache-Control: no-store", "ETag: \"a\"", 304, "", "pass"),
      (.default, "GET", "Cache-Control: max-age=60", 304, "", "pass"),
      // HEAD.
      (.default, "HEAD", "ETag: \"a\"", 200, "ETag: \"a\"", "pass"), (.default, "HEAD", "ETag: \"a\"", 200, "", "pass"),
      (.default, "HEAD", "ETag: \"a\"", 200, "ETag: \"b\"", "pass, drop"),
      (.default, "HEAD", "Last-Modified: {-9}", 200, "Last-Modified: {-5}", "pass, drop"),
      (.default, "HEAD", "Last-Modified: {-9}", 200, "Last-Modified: {-9}", "pass"),
      // Errors that the stored response hides.
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=60", 503, "", "stand in 100"),
      (.fallback, "GET", "Cache-Control: max-age=60", 503, "", "stand in 100"),
      (.fallback, "GET", "Cache-Control: max-age=60", 404, "", "pass, store"),
      (.fallback, "GET", "Cache-Control: max-age=60", 501, "", "stand in 100"),
    ] as [(CachePolicy, String, String?, Int, String, String)]) func `what a response makes of the stored one`(
      policy: CachePolicy, asked: String, told: String?, status: Int, received: String, words: String
    ) throws
  {
    #expect(try answer(policy, asked, told, status, received).words == words)
  }

  /// Policy, request, what is stored, the status that came (nil: none), seconds since it was stored, age or nil.
  @Test(
    arguments: [
      // fallback.
      (.fallback, "GET", "Cache-Control: max-age=60", nil, 100, 100), (.fallback, "GET", "Cache-Control: max-age=60", nil, 9, 9),
      (.fallback, "GET", "Cache-Control: max-age=60", nil, 9_000_000, 9_000_000),
      (.fallback, "GET", "Cache-Control: max-age=60", 500, 100, 100),
      (.fallback, "GET", "Cache-Control: max-age=60", 501, 100, 100), (.fallback, "GET", "Cache-Control: max-age=60", 599, 100, 100),
      (.fallback, "GET", "Cache-Control: max-age=60", 499, 100, nil), (.fallback, "GET", "Cache-Control: max-age=60", 429, 100, nil),
      (.fallback, "GET", "Cache-Control: max-age=0, must-revalidate", nil, 100, 100),
      (.fallback, "GET", "Cache-Control: no-cache", 503, 100, 100),
      (.fallback, "HEAD", "Cache-Control: max-age=60", nil, 100, 100), (.fallback, "POST", "Cache-Control: max-age=60", nil, 100, nil),
      (.fallback, "Range: bytes=0-1", "Cache-Control: max-age=60", nil, 100, nil),
      // stale-if-error of the response.
      (.default, "GET", "Cache-Control: max-age=60", nil, 100, nil), (.default, "GET", "Cache-Control: max-age=60", 503, 100, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", nil, 100, 100),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 500, 100, 100),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 502, 100, 100),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 503, 100, 100),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 504, 100, 100),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 501, 100, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", 404, 100, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40", nil, 101, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=x", nil, 100, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40, must-revalidate", nil, 100, nil),
      (.default, "GET", "Cache-Control: max-age=60, stale-if-error=40, no-cache", nil, 100, nil),
      (.default, "Cache-Control: no-cache", "Cache-Control: max-age=60, stale-if-error=40", nil, 100, nil),
      // stale-if-error of the request.
      (.default, "Cache-Control: stale-if-error=40", "Cache-Control: max-age=60", nil, 100, 100),
      (.default, "Cache-Control: stale-if-error=39", "Cache-Control: max-age=60", nil, 100, nil),
      (.default, "Cache-Control: stale-if-error=0", "Cache-Control: max-age=60, stale-if-error=40", nil, 100, 100),
      (.default, "Cache-Control: stale-if-error=40, no-cache", "Cache-Control: max-age=60", 503, 9, 9),
      (.default, "Cache-Control: stale-if-error=40", "Cache-Control: max-age=60, must-revalidate", nil, 100, nil),
      // Other policies.
      (.off, "GET", "Cache-Control: max-age=60, stale-if-error=40", nil, 100, nil),
      (.reload, "GET", "Cache-Control: max-age=60, stale-if-error=40", nil, 9, nil),
      (.revalidate, "GET", "Cache-Control: max-age=60, stale-if-error=40", 503, 9, nil),
      (.onlyIfCached, "GET", "Cache-Control: max-age=60, stale-if-error=40", nil, 9, nil),
    ] as [(CachePolicy, String, String, Int?, Int64, Int64?)]) func `when the stored response stands in`(
      policy: CachePolicy, asked: String, told: String, status: Int?, after: Int64, age: Int64?
    ) throws
  {
    let request = try request(asked)
    let entry = try #require(stored(told, for: request))
    #expect(CacheRules.standIn(entry, for: request, policy: policy, status: status, now: cameAt + after) == age)
  }
}
