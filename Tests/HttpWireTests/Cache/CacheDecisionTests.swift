import Testing

@testable import HttpWire

/// Policy, request, what is stored (nil: nothing), seconds since it came, and the decision in words.
typealias DecisionCase = (CachePolicy, String, String?, Int64, String)

@Suite struct CacheDecisionTests {
  private func expect(_ each: DecisionCase, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let (policy, asked, told, after, words) = each
    let request = try request(asked)
    let entry = try told.map { try #require(stored($0, for: request)) }
    let decision = CacheRules.decide(request, entry: entry, missing: .uriMiss, policy: policy, now: cameAt + after)
    #expect(decision.words == words, sourceLocation: sourceLocation)
  }

  @Test(
    arguments: [
      (.default, "GET", nil, 0, "fetch, uri-miss"), (.reload, "GET", nil, 0, "fetch, request"),
      (.revalidate, "GET", nil, 0, "fetch, uri-miss"),
      (.fallback, "GET", nil, 0, "fetch, uri-miss"), (.onlyIfCached, "GET", nil, 0, "504"), (.off, "GET", nil, 0, "fetch, bypass"),
      (.default, "HEAD", nil, 0, "fetch, uri-miss"), (.default, "Cache-Control: only-if-cached", nil, 0, "504"),
      (.off, "Cache-Control: only-if-cached", nil, 0, "fetch, bypass"),
    ] as [DecisionCase]) func `nothing is stored`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "GET", "Cache-Control: max-age=60", 0, "fresh 0"), (.default, "GET", "Cache-Control: max-age=60", 59, "fresh 59"),
      (.default, "GET", "Cache-Control: max-age=60", 60, "fetch, stale"), (.default, "HEAD", "Cache-Control: max-age=60", 59, "fresh 59"),
      (.default, "GET", "Expires: {60}", 59, "fresh 59"), (.default, "GET", "Expires: {60}", 60, "fetch, stale"),
      (.default, "GET", "Last-Modified: {-1000}", 99, "fresh 99"), (.default, "GET", "Last-Modified: {-1000}", 100, "ask ims, stale"),
      (.default, "GET", "301 | Cache-Control: max-age=60", 30, "fresh 30"),
      (.default, "GET", "404 | Cache-Control: max-age=60", 30, "fresh 30"),
      (.default, "GET", "302 | Expires: {60}", 30, "fresh 30"), (.default, "GET", "Age: 50 | Cache-Control: max-age=60", 9, "fresh 59"),
      (.default, "GET", "Age: 50 | Cache-Control: max-age=60", 10, "fetch, stale"),
      (.default, "GET", "Date: {-50} | Cache-Control: max-age=60", 9, "fresh 59"),
      (.default, "GET", "Cache-Control: max-age=60, private", 9, "fresh 9"),
      (.default, "GET", "Cache-Control: max-age=60, must-revalidate", 9, "fresh 9"),
      (.default, "GET", "Cache-Control: max-age=60 | Set-Cookie: a=b", 9, "fresh 9"),
      (.default, "Authorization: Basic x", "Cache-Control: max-age=60", 9, "fresh 9"),
      (.default, "GET", "Cache-Control: max-age=60 | Pragma: no-cache", 9, "fresh 9"),
      (.default, "GET", "Cache-Control: max-age=60, no-cache=\"set-cookie\"", 9, "fresh 9"),
    ] as [DecisionCase]) func `a fresh response is the answer`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "GET", "Cache-Control: max-age=60 | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60 | Last-Modified: {-9}", 60, "ask ims, stale"),
      (.default, "GET", "Cache-Control: max-age=60 | Last-Modified: {-9} | ETag: \"a\"", 60, "ask inm ims, stale"),
      (.default, "GET", "Cache-Control: max-age=60 | ETag: W/\"a\"", 60, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60 | ETag: ", 60, "fetch, stale"), (.default, "GET", "ETag: \"a\"", 0, "ask inm, stale"),
      (.default, "GET", "Cache-Control: no-cache | ETag: \"a\"", 0, "ask inm, stale"),
      (.default, "GET", "Cache-Control: no-cache, max-age=60 | ETag: \"a\"", 9, "ask inm, stale"),
      (.default, "GET", "Cache-Control: no-cache, max-age=60", 9, "fetch, stale"),
      (.default, "GET", "Cache-Control: max-age=0, must-revalidate | ETag: \"a\"", 0, "ask inm, stale"),
      (.default, "HEAD", "Cache-Control: max-age=60 | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "GET", "404 | Cache-Control: max-age=60 | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60, immutable | ETag: \"a\"", 60, "ask inm, stale"),
    ] as [DecisionCase]) func `a stale response is validated, by its ETag and its Last-Modified`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "Cache-Control: no-cache", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.default, "Cache-Control: no-cache", "Cache-Control: max-age=60", 9, "fetch, request"),
      (.default, "Cache-Control: no-cache", "Cache-Control: max-age=60 | ETag: \"a\"", 90, "ask inm, stale"),
      (.default, "Pragma: no-cache", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.default, "Pragma: no-cache | Cache-Control: max-age=60", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "fresh 9"),
      (.default, "Cache-Control: no-store", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "fetch, request"),
      (.default, "Cache-Control: max-age=10", "Cache-Control: max-age=60 | ETag: \"a\"", 10, "fresh 10"),
      (.default, "Cache-Control: max-age=10", "Cache-Control: max-age=60 | ETag: \"a\"", 11, "ask inm, request"),
      (.default, "Cache-Control: max-age=0", "Cache-Control: max-age=60 | ETag: \"a\"", 0, "ask inm, request"),
      (.default, "Cache-Control: max-age=x", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.default, "Cache-Control: max-age=100", "Cache-Control: max-age=60 | ETag: \"a\"", 70, "ask inm, stale"),
      (.default, "Cache-Control: min-fresh=30", "Cache-Control: max-age=60 | ETag: \"a\"", 30, "fresh 30"),
      (.default, "Cache-Control: min-fresh=30", "Cache-Control: max-age=60 | ETag: \"a\"", 31, "ask inm, request"),
      (.default, "Cache-Control: min-fresh=x", "Cache-Control: max-age=60 | ETag: \"a\"", 0, "ask inm, request"),
      (.default, "Cache-Control: max-stale", "Cache-Control: max-age=60 | ETag: \"a\"", 90_000, "stale 90000"),
      (.default, "Cache-Control: max-stale=30", "Cache-Control: max-age=60 | ETag: \"a\"", 90, "stale 90"),
      (.default, "Cache-Control: max-stale=30", "Cache-Control: max-age=60 | ETag: \"a\"", 91, "ask inm, stale"),
      (.default, "Cache-Control: max-stale=30", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "fresh 9"),
      (.default, "Cache-Control: max-stale=x", "Cache-Control: max-age=60 | ETag: \"a\"", 61, "ask inm, stale"),
      (.default, "Cache-Control: max-stale", "Cache-Control: max-age=60, must-revalidate | ETag: \"a\"", 61, "ask inm, stale"),
      (.default, "Cache-Control: max-stale", "Cache-Control: max-age=60, no-cache | ETag: \"a\"", 9, "ask inm, stale"),
      (.default, "Cache-Control: max-stale", "Cache-Control: max-age=60, proxy-revalidate", 90, "stale 90"),
      (.default, "Cache-Control: max-stale, max-age=10", "Cache-Control: max-age=60 | ETag: \"a\"", 70, "ask inm, stale"),
      (.default, "Cache-Control: max-stale, min-fresh=10", "Cache-Control: max-age=60 | ETag: \"a\"", 70, "ask inm, stale"),
    ] as [DecisionCase]) func `the request's directives hold`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 9, "fresh 9"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "stale 60, ask inm"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 90, "stale 90, ask inm"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 91, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30", 60, "stale 60, ask "),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=x | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30, no-cache | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "Cache-Control: no-cache", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "Cache-Control: max-age=80", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "ask inm, stale"),
      (.default, "Cache-Control: min-fresh=0", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "ask inm, stale"),
      (
        .default, "Cache-Control: max-stale=5", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 70,
        "stale 70, ask inm"
      ),
      (.default, "Cache-Control: only-if-cached", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 70, "stale 70"),
      (.revalidate, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "ask inm, stale"),
      (.fallback, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "ask inm, stale"),
      (.reload, "GET", "Cache-Control: max-age=60, stale-while-revalidate=30 | ETag: \"a\"", 60, "fetch, request"),
    ] as [DecisionCase]) func `a response is lent while it is validated`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "Cache-Control: only-if-cached", "Cache-Control: max-age=60", 9, "fresh 9"),
      (.default, "Cache-Control: only-if-cached", "Cache-Control: max-age=60", 60, "504"),
      (.default, "Cache-Control: only-if-cached, max-stale", "Cache-Control: max-age=60", 60, "stale 60"),
      (.default, "Cache-Control: only-if-cached, max-stale", "Cache-Control: max-age=60, must-revalidate", 60, "504"),
      (.default, "Cache-Control: only-if-cached, no-cache", "Cache-Control: max-age=60", 9, "504"),
      (.reload, "Cache-Control: only-if-cached", "Cache-Control: max-age=60", 9, "504"),
      (.revalidate, "Cache-Control: only-if-cached", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "504"),
      (.fallback, "Cache-Control: only-if-cached", "Cache-Control: max-age=60", 9, "504"),
      (.onlyIfCached, "GET", "Cache-Control: max-age=60", 9, "fresh 9"),
      (.onlyIfCached, "GET", "Cache-Control: max-age=60", 90_000, "stale 90000"),
      (.onlyIfCached, "HEAD", "Cache-Control: max-age=60", 9, "fresh 9"),
      (.onlyIfCached, "GET", "Cache-Control: no-cache | ETag: \"a\"", 0, "stale 0"),
      (.onlyIfCached, "GET", "Cache-Control: max-age=60, no-cache | ETag: \"a\"", 9, "stale 9"),
      (.onlyIfCached, "GET", "Cache-Control: max-age=0, must-revalidate", 9, "stale 9"),
      (.onlyIfCached, "Cache-Control: max-age=30", "Cache-Control: max-age=60", 31, "504"),
      (.onlyIfCached, "Cache-Control: no-cache", "Cache-Control: max-age=60", 9, "504"),
      (.onlyIfCached, "Cache-Control: no-store", "Cache-Control: max-age=60", 9, "504"),
      (.onlyIfCached, "POST", "Cache-Control: max-age=60", 9, "504"),
      (.onlyIfCached, "Range: bytes=0-1", "Cache-Control: max-age=60", 9, "504"),
    ] as [DecisionCase]) func `the server is not asked where it must not be`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.off, "GET", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.reload, "GET", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "fetch, request"),
      (.reload, "GET", "Cache-Control: max-age=60, immutable", 9, "fetch, request"),
      (.revalidate, "GET", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.revalidate, "GET", "Cache-Control: max-age=60", 9, "fetch, request"),
      (.revalidate, "GET", "Cache-Control: max-age=60 | ETag: \"a\"", 60, "ask inm, stale"),
      (.revalidate, "HEAD", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.revalidate, "GET", "Cache-Control: max-age=60, immutable | ETag: \"a\"", 9, "fresh 9"),
      (.revalidate, "GET", "Cache-Control: max-age=60, immutable | ETag: \"a\"", 60, "ask inm, stale"),
      (.revalidate, "GET", "Cache-Control: max-age=60, immutable, no-cache | ETag: \"a\"", 9, "ask inm, stale"),
      (.revalidate, "Cache-Control: no-cache", "Cache-Control: max-age=60, immutable | ETag: \"a\"", 9, "ask inm, request"),
      (.revalidate, "Cache-Control: max-stale", "Cache-Control: max-age=60 | ETag: \"a\"", 90, "ask inm, stale"),
      (.fallback, "GET", "Cache-Control: max-age=60 | ETag: \"a\"", 9, "ask inm, request"),
      (.fallback, "GET", "Cache-Control: max-age=60", 9, "fetch, request"),
      (.fallback, "GET", "Cache-Control: max-age=60, immutable", 9, "fetch, request"),
      (.fallback, "GET", "Cache-Control: max-age=60 | Last-Modified: {-9}", 60, "ask ims, stale"),
    ] as [DecisionCase]) func `policies ask the server more often`(each: DecisionCase) throws
  { try expect(each) }

  @Test(
    arguments: [
      (.default, "POST", "Cache-Control: max-age=60", 9, "fetch, method"), (.default, "PUT", nil, 0, "fetch, method"),
      (.default, "DELETE", nil, 0, "fetch, method"), (.default, "OPTIONS", nil, 0, "fetch, method"),
      (.default, "get", nil, 0, "fetch, method"),
      (.default, "QUERY", nil, 0, "fetch, method"), (.default, "GET +body", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "If-None-Match: \"a\"", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "if-modified-since: {0}", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "If-Match: *", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "If-Unmodified-Since: {0}", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "Range: bytes=0-1 | If-Range: \"a\"", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.default, "Range: bytes=0-1", "Cache-Control: max-age=60", 9, "fetch, bypass"),
      (.reload, "POST", nil, 0, "fetch, method"), (.fallback, "If-None-Match: \"a\"", nil, 0, "fetch, bypass"),
      (.revalidate, "Range: bytes=0-1", nil, 0, "fetch, bypass"),
    ] as [DecisionCase]) func `requests go past the cache that it can't answer`(each: DecisionCase) throws
  { try expect(each) }

  @Test func `the conditions are the stored validators byte for byte`() throws {
    let entry = try #require(stored("Last-Modified: {-9} | ETag: W/\"a\\é\" | ETag: \"b\""))
    #expect(CacheRules.conditions(entry).text == "If-None-Match: W/\"a\\é\" | If-Modified-Since: \(httpDate(cameAt - 9))")
    var headers = HttpHeaders()
    let tag: [UInt8] = [0x22, 0xE9, 0x22]
    tag.withUnsafeBytes { tag in Array("ETag".utf8).withUnsafeBytes { headers.append(name: $0, value: tag) } }
    let odd = try #require(CacheEntry(status: 200, headers: headers, requestTime: 0, responseTime: 0, to: CacheRequest()))
    #expect(CacheRules.conditions(odd).block.suffix(5).prefix(3) == tag[...])
  }

  @Test func `what is stored for another request is not used`() throws {
    let entry = try #require(stored("Cache-Control: max-age=60 | Vary: Accept", for: CacheRequest(headers: ["Accept": "a/b"])))
    let other = CacheRequest(headers: ["Accept": "c/d"])
    #expect(CacheRules.decide(other, entry: entry, policy: .default, now: cameAt) == .fetch(.varyMiss))
    #expect(CacheRules.decide(other, entry: entry, policy: .onlyIfCached, now: cameAt) == .gatewayTimeout)
    #expect(CacheRules.standIn(entry, for: other, policy: .fallback, status: nil, now: cameAt) == nil)
  }
}
