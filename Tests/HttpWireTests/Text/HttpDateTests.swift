import Glibc
import TestSupport
import Testing

@testable import HttpWire

@Suite struct HttpDateTests {
  private let now: Int64 = 1_780_000_000  // in 2026

  @Test(arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func theThreeFormsOfOneDateAreOneDate(text: String) {
    #expect(HttpDate.seconds(text, now: now) == 784_111_777)
  }

  @Test(
    arguments: [
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu Jan  1 00:00:00 1970", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Mon, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
      ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Thu Feb 29 12:00:00 2024", 1_709_208_000),
    ] as [(String, Int64)]) func datesAreReckonedByTheGregorianCalendar(text: String, seconds: Int64)
  {
    #expect(HttpDate.seconds(text, now: now) == seconds)
  }

  @Test(arguments: [
    ("Sunday, 06-Nov-76 00:00:00 GMT", 2076), ("Sunday, 06-Nov-77 00:00:00 GMT", 1977), ("Sunday, 06-Nov-26 00:00:00 GMT", 2026),
    ("Sunday, 06-Nov-00 00:00:00 GMT", 2000), ("Sunday, 06-Nov-99 00:00:00 GMT", 1999),
  ]) func twoDigitsAreOfTheCenturyThatPutsTheDateLessThanFiftyYearsAhead(text: String, year: Int) {
    #expect(HttpDate.seconds(text, now: now) == HttpDate.seconds("Sun, 06 Nov \(year) 00:00:00 GMT", now: now))
  }

  @Test(arguments: [
    "", "7", "Sun", "Sun, ", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 1995 08:49:37 GMT", "Thu, 29 Feb 1900 08:49:37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 94",
    "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT\0", "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
  ]) func whatIsNoDateIsNone(text: String) {
    #expect(HttpDate.seconds(text, now: now) == nil)
  }

  @Test(arguments: 0..<UInt64(100)) func itAgreesWithTheSystemsCalendar(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var clock = time_t(Int.random(in: -62_167_219_200...253_402_300_799, using: &generator))
      var parts = tm()
      gmtime_r(&clock, &parts)
      for format in ["%a, %d %b %Y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = strftime(&buffer, buffer.count, format, &parts)
        var text = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The C library does not pad the year.
        let year = "\(Int(parts.tm_year) + 1_900)"
        if year.count < 4 { continue }
        #expect(HttpDate.seconds(text, now: now) == Int64(clock), "\(text)")
        // Cut short anywhere it is none.
        text.removeLast(Int.random(in: 1...text.count, using: &generator))
        #expect(HttpDate.seconds(text, now: now) == nil, "\(text)")
      }
    }
  }

  @Test func aClockThatIsFarOffOverflowsNothing() {
    for now in [Int64.min, -1, 0, .max] { #expect(HttpDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil) }
  }
}
