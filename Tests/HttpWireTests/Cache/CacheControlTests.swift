import TestSupport
import Testing

@testable import HttpWire

@Suite struct CacheControlTests {
  @Test(
    arguments: [
      // A number of seconds.
      ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0", 0), ("max-age=007", 7), (" max-age=60 ", 60),
      ("\tmax-age=60\t", 60), (",,max-age=60,,", 60), ("foo, max-age=60", 60), ("foo=\"a, max-age=5\", max-age=60", 60),
      ("foo=\"a\\\", max-age=5\", max-age=60", 60), ("max-age=\"6\\0\"", 60), ("x=\"\", max-age=60", 60), ("x-max-age=5, max-age=60", 60),
      // Huge ones.
      ("max-age=2147483647", 2_147_483_647), ("max-age=2147483648", 2_147_483_648), ("max-age=4294967296", 2_147_483_648),
      ("max-age=99999999999999999999999999999999999999999", 2_147_483_648), ("max-age=9223372036854775808", 2_147_483_648),
      // None: the response counts as stale.
      ("max-age", 0), ("max-age=", 0), ("max-age=\"\"", 0), ("max-age=-1", 0), ("max-age=+60", 0), ("max-age=6 0", 0), ("max-age=1.5", 0),
      ("max-age=0x3c", 0), ("max-age=60s", 0), ("max-age=60;foo", 0), ("max-age=\"60", 0), ("max-age=60\"", 0), ("max-age=\"60\"x", 0),
      ("max-age='60'", 0), ("max-age=a", 0), ("max-age=٦٠", 0), ("max-age= 60", 0), ("max-age==60", 0),
      // The first of several counts.
      ("max-age=60, max-age=5", 60), ("max-age=5, max-age=60", 5), ("max-age=x, max-age=60", 0), ("max-age=60, max-age=x", 60),
      // None at all.
      ("", nil), (",", nil), ("maxage=60", nil), ("s-maxage=60", nil), ("foo=\"max-age=60\"", nil), ("max-age-60", nil),
      ("\"max-age=60\"", nil),
      ("foo=\"max-age=60, bar\"", nil),
    ] as [(String, Int64?)]) func `max-age is read as a time, or as none`(text: String, seconds: Int64?)
  {
    #expect(CacheControl(response: ["Cache-Control": text]).maxAge == seconds)
  }

  @Test(
    arguments: [
      ("no-store", "noStore"), ("No-Store", "noStore"), ("no-store=1", "noStore"), ("no-store=\"x\"", "noStore"),
      ("a, no-store", "noStore"),
      ("max-age=60,no-store", "noStore"), ("foo=\"a, no-store", "noStore"), ("no-cache", "noCache"), ("NO-CACHE", "noCache"),
      ("no-cache=", "noCache"), ("no-cache=\"\"", "noCache"), ("no-cache=\", ,\"", "noCache"), ("no-cache=\"a b\"", "noCache"),
      ("no-cache=\"set-cookie", "noCache"), ("must-revalidate", "mustRevalidate"), ("must-revalidate=x", "mustRevalidate"),
      ("must-understand", "mustUnderstand"), ("public", "isPublic"), ("private", "isPrivate"), ("private=\"set-cookie\"", "isPrivate"),
      ("immutable", "isImmutable"), ("immutable=yes", "isImmutable"), ("only-if-cached", "onlyIfCached"),
    ]) func `a directive without argument is one with any`(text: String, flag: String)
  {
    #expect(CacheControl(response: ["Cache-Control": text]).flags == [flag])
    #expect(CacheControl(response: [:]).flags.isEmpty)
    #expect(CacheControl(response: ["Cache-Control": "x-" + text]).flags.isEmpty || text.contains(","))
  }

  @Test(
    arguments: [
      ("no-cache=set-cookie", ["set-cookie"]), ("no-cache=\"Set-Cookie\"", ["set-cookie"]), ("no-cache=\"a, B ,c\"", ["a", "b", "c"]),
      ("no-cache=\"a\", no-cache=\"b\"", ["a", "b"]), ("no-cache=\"a,,b\"", ["a", "b"]),
    ] as [(String, [String])]) func `no-cache with names is for these fields alone`(text: String, names: [String])
  {
    let control = CacheControl(response: ["Cache-Control": text])
    #expect(control.noCacheFields == names)
    #expect(!control.noCache)
  }

  @Test func `no-cache with and without names is that without`() {
    let control = CacheControl(response: ["Cache-Control": "no-cache=\"a\"", "cache-control": "no-cache"])
    #expect(control.noCache)
  }

  @Test(
    arguments: [
      ("max-stale", "maxStale", 2_147_483_648), ("max-stale=30", "maxStale", 30), ("max-stale=\"30\"", "maxStale", 30),
      ("max-stale=x", "maxStale", nil),
      ("max-stale=", "maxStale", nil), ("max-stale=5, max-stale", "maxStale", 5), ("min-fresh=30", "minFresh", 30),
      ("min-fresh=x", "minFresh", 2_147_483_648), ("min-fresh", "minFresh", 2_147_483_648),
      ("stale-while-revalidate=30", "staleWhileRevalidate", 30), ("stale-while-revalidate", "staleWhileRevalidate", nil),
      ("stale-while-revalidate=-1", "staleWhileRevalidate", nil), ("stale-if-error=30", "staleIfError", 30),
      ("stale-if-error", "staleIfError", nil),
      ("stale-if-error=99999999999999999999", "staleIfError", 2_147_483_648),
    ] as [(String, String, Int64?)]) func `other times are read strictly`(text: String, time: String, seconds: Int64?)
  {
    #expect(CacheControl(request: ["Cache-Control": text]).times == (seconds.map { [time: $0] } ?? [:]))
  }

  @Test func `several fields are one list`() {
    let control = CacheControl(response: ["Cache-Control": "max-age=60", "X": "no-store", "CACHE-CONTROL": "private, must-revalidate"])
    #expect(control.maxAge == 60)
    #expect(control.isPrivate)
    #expect(control.mustRevalidate)
    #expect(!control.noStore)
  }

  @Test(arguments: [
    ("Pragma: no-cache", true), ("Pragma: a, No-Cache", true), ("Pragma: x", false),
    ("Pragma: no-cache | Cache-Control: max-age=60", false),
    ("Pragma: no-cache | Cache-Control: no-cache", true), ("Pragma: no-cache | Cache-Control: ", false),
  ]) func `Pragma counts in a request that has no Cache-Control`(text: String, noCache: Bool) {
    #expect(CacheControl(request: fields(text)).noCache == noCache)
    #expect(CacheControl(response: fields("Pragma: no-cache")).noCache == false)
  }

  @Test func `any bytes are read in one pass`() {
    var generator = SeededGenerator(seed: 7)
    let alphabet = Array("\"\\,= \tmax-age=60no-cache".utf8)
    for length in [1, 10, 100, 60_000] {
      for _ in 0..<(length == 60_000 ? 4 : 200) {
        let text = String(decoding: (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }, as: UTF8.self)
        _ = CacheControl(response: ["Cache-Control": text])
      }
    }
    // Quotes that are never closed, each a candidate.
    _ = CacheControl(response: ["Cache-Control": String(repeating: "\\\"", count: 500_000)])
    _ = CacheControl(response: ["Cache-Control": "\"" + String(repeating: "\\\"", count: 500_000)])
  }
}

extension CacheControl {
  fileprivate var flags: [String] {
    let all = [
      (noStore, "noStore"), (noCache, "noCache"), (mustRevalidate, "mustRevalidate"), (mustUnderstand, "mustUnderstand"),
      (isPublic, "isPublic"), (isPrivate, "isPrivate"), (isImmutable, "isImmutable"), (onlyIfCached, "onlyIfCached"),
    ]
    return all.filter(\.0).map(\.1)
  }

  fileprivate var times: [String: Int64] {
    let all = [
      "maxStale": maxStale, "minFresh": minFresh, "staleWhileRevalidate": staleWhileRevalidate, "staleIfError": staleIfError,
    ]
    return all.compactMapValues { $0 }
  }
}
