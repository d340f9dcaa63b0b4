import Testing

@testable import HttpWire

@Suite struct CacheStatusTests {
  @Test(
    arguments: [
      (.hit(timeToLive: 30), "Errand; hit; ttl=30"), (.hit(timeToLive: -30), "Errand; hit; ttl=-30"),
      (.forward(.stale, status: 304), "Errand; fwd=stale; fwd-status=304"),
      (.forward(.uriMiss, status: 200, isStored: true), "Errand; fwd=uri-miss; fwd-status=200; stored"),
      (.forward(.varyMiss, status: nil), "Errand; fwd=vary-miss"), (.forward(.request, status: 503), "Errand; fwd=request; fwd-status=503"),
      (.forward(.bypass, status: 200), "Errand; fwd=bypass; fwd-status=200"),
      (.forward(.method, status: 200), "Errand; fwd=method; fwd-status=200"),
      (.forward(.miss, status: 404), "Errand; fwd=miss; fwd-status=404"), (.onlyIfCached, "Errand; detail=only-if-cached"),
    ] as [(CacheStatus, String)]) func `the words are those of RFC 9211`(status: CacheStatus, text: String)
  {
    #expect(status.description == text)
  }

  @Test func `a stand-in says how long it is stale and why it is there`() {
    var status = CacheStatus.forward(.stale, status: 503)
    status.timeToLive = -40
    status.detail = "stale-if-error"
    #expect(status.description == "Errand; fwd=stale; fwd-status=503; ttl=-40; detail=stale-if-error")
  }

  @Test func `an answer from the cache has its age, and its status after those of other caches`() throws {
    let entry = try #require(
      stored("Age: 5 | X: 1 | Cache-Status: Other; hit | Set-Cookie: a=b | Cache-Control: max-age=60, no-cache=\"Set-Cookie, y\" | Y: 2"))
    let unasked = CacheRules.headers(of: entry, age: 30, status: .hit(timeToLive: 30))
    #expect(
      unasked.text
        == "X: 1 | Cache-Status: Other; hit | Cache-Control: max-age=60, no-cache=\"Set-Cookie, y\" | Age: 30 | Cache-Status: Errand; hit; ttl=30"
    )
    let validated = CacheRules.headers(of: entry, age: nil, status: .forward(.stale, status: 304))
    #expect(validated["Age"] == "5")
    #expect(validated["Set-Cookie"] == "a=b")
    #expect(validated.values("Cache-Status") == ["Other; hit", "Errand; fwd=stale; fwd-status=304"])
  }

  @Test func `policies have the names that callers know`() {
    #expect(CachePolicy.allCases.map(\.rawValue) == ["off", "default", "reload", "revalidate", "only-if-cached", "fallback"])
  }
}
