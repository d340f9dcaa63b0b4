import Testing

@testable import HttpWire

@Suite struct CacheFreshnessTests {
  @Test(
    arguments: [
      // max-age.
      ("Cache-Control: max-age=60", 60), ("Cache-Control: max-age=0", 0), ("Cache-Control: max-age=x", 0),
      ("Cache-Control: max-age=60 | Expires: {600}", 60), ("Cache-Control: max-age=0 | Expires: {600}", 0),
      ("Cache-Control: max-age=60 | Last-Modified: {-86400}", 60), ("Cache-Control: max-age=99999999999", 2_147_483_648),
      // s-maxage is for shared caches.
      ("Cache-Control: s-maxage=600", 0), ("Cache-Control: s-maxage=600, max-age=60", 60),
      ("Cache-Control: s-maxage=600 | Expires: {60}", 60),
      ("Cache-Control: s-maxage=600 | Last-Modified: {-1000}", 100),
      // Expires.
      ("Expires: {60}", 60), ("Expires: {60} | Date: {0}", 60), ("Expires: {60} | Date: {-40}", 100), ("Expires: {60} | Date: {100}", 0),
      ("Expires: {60} | Date: nonsense", 60), ("Expires: 0", 0), ("Expires: -1", 0), ("Expires: nonsense", 0), ("Expires: ", 0),
      ("Expires: {-60}", 0),
      ("Expires: 0 | Last-Modified: {-86400}", 0), ("Expires: Fri, 31 Dec 9999 23:59:59 GMT", 2_147_483_648),
      ("Expires: Sat, 01 Jan 0000 00:00:00 GMT", 0), ("Expires: {60} | Expires: {600}", 60), ("Expires: Sunday, 06-Nov-94 08:49:37 GMT", 0),
      // A guess by Last-Modified.
      ("Last-Modified: {-1000}", 100), ("Last-Modified: {-9}", 0), ("Last-Modified: {-19}", 1), ("Last-Modified: {0}", 0),
      ("Last-Modified: {1000}", 0), ("Last-Modified: {-864000}", 86_400), ("Last-Modified: {-864010}", 86_400),
      ("Last-Modified: {-31536000}", 86_400),
      ("Last-Modified: nonsense", 0), ("Last-Modified: {-1000} | Date: {1000}", 200), ("Last-Modified: {-1000} | Date: {-2000}", 0),
      ("Last-Modified: {-1000} | Cache-Control: no-transform", 100),
      // Nothing to go by.
      ("", 0), ("ETag: \"a\"", 0), ("Date: {0}", 0), ("Cache-Control: public", 0),
    ] as [(String, Int64)]) func `how long a response is fresh`(text: String, seconds: Int64)
  {
    #expect(CacheRules.lifetime(status: 200, headers: fields(text), responseTime: cameAt) == seconds)
  }

  @Test(
    arguments: [
      (200, 100), (203, 100), (204, 100), (300, 100), (301, 100), (308, 100), (404, 100), (405, 100), (410, 100), (414, 100), (501, 100),
      (201, 0), (202, 0), (302, 0), (303, 0), (307, 0), (400, 0), (401, 0), (403, 0), (429, 0), (500, 0), (502, 0), (503, 0), (599, 0),
    ] as [(Int, Int64)]) func `a guess is made for the statuses that allow it`(status: Int, seconds: Int64)
  {
    #expect(CacheRules.lifetime(status: status, headers: fields("Last-Modified: {-1000}"), responseTime: cameAt) == seconds)
    // `public` allows it for any.
    let told = fields("Last-Modified: {-1000} | Cache-Control: public")
    #expect(CacheRules.lifetime(status: status, headers: told, responseTime: cameAt) == 100)
    // What is said holds for any.
    #expect(CacheRules.lifetime(status: status, headers: fields("Expires: {60}"), responseTime: cameAt) == 60)
  }

  /// Fields; seconds from sending the request to its head; seconds from then to now; age.
  @Test(
    arguments: [
      // How long it has been here.
      ("", 0, 0, 0), ("", 0, 60, 60), ("Date: {0}", 0, 60, 60), ("", 0, 100_000_000_000, 2_147_483_648),
      // How long it was on the way.
      ("", 5, 0, 5), ("", 5, 60, 65), ("Date: {0}", 5, 60, 65),
      // What other caches say.
      ("Age: 30", 0, 0, 30), ("Age: 30", 5, 60, 95), ("Age: 30, 40", 0, 0, 30), ("Age: 30 | Age: 40", 0, 0, 30), ("Age: x", 0, 60, 60),
      ("Age: -5", 0, 60, 60), ("Age: 1.5", 0, 60, 60), ("Age: ", 0, 60, 60), ("Age: , 30", 0, 60, 60), ("Age: 0", 0, 60, 60),
      ("Age: \"30\"", 0, 0, 0), ("Age: 4294967296", 0, 0, 2_147_483_648), ("Age: 99999999999999999999999", 0, 60, 2_147_483_648),
      // What its Date says: the greater counts.
      ("Date: {-10}", 0, 0, 10), ("Date: {-10}", 5, 0, 10), ("Date: {-10}", 20, 0, 20), ("Date: {-10} | Age: 30", 0, 0, 30),
      ("Date: {-40} | Age: 30", 0, 0, 40), ("Date: {-40} | Age: 30", 5, 60, 100), ("Date: {10}", 0, 60, 60), ("Date: nonsense", 0, 60, 60),
      ("Date: Sat, 01 Jan 0000 00:00:00 GMT", 0, 60, 2_147_483_648),
      // A clock that was set back, or went back meanwhile.
      ("", 0, -60, 60), ("Age: 30", 0, -60, 90), ("", -5, 60, 60), ("", 0, -100_000_000_000, 2_147_483_648),
    ] as [(String, Int64, Int64, Int64)]) func `how old a response is`(text: String, delay: Int64, resident: Int64, age: Int64) throws
  {
    let entry = try #require(stored(text, requested: cameAt - delay))
    #expect(CacheRules.age(entry, now: cameAt + resident) == age)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, cameAt, .max - 1, .max]) func `no clock overflows anything`(clock: Int64) throws {
    for other in [Int64.min, -1, 0, cameAt, .max] {
      for text in ["Age: 30 | Date: {-40} | Expires: {60}", "Last-Modified: {-1000}", "Cache-Control: max-age=99999999999"] {
        let entry = try #require(stored(text, requested: clock, came: other))
        for now in [Int64.min, 0, clock, .max] {
          #expect((0...CacheControl.longest).contains(CacheRules.age(entry, now: now)))
          _ = CacheRules.timeToLive(entry, now: now)
        }
      }
    }
  }

  @Test func `the time to live becomes negative`() throws {
    let entry = try #require(stored("Cache-Control: max-age=60"))
    #expect(CacheRules.timeToLive(entry, now: cameAt + 20) == 40)
    #expect(CacheRules.timeToLive(entry, now: cameAt + 60) == 0)
    #expect(CacheRules.timeToLive(entry, now: cameAt + 90) == -30)
  }
}
