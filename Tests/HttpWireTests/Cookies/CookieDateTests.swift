import Glibc
import HttpWire
import TestSupport
import Testing

@Suite("Dates of cookies")
struct CookieDateTests {
  @Test(
    "time, day, month and year are found wherever they stand",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("08:49:37 06 Nov 1994", 784_111_777), ("1994 Nov 06 08:49:37", 784_111_777), ("nov 6 1994 8:49:37", 784_111_777),
      ("6 NOVEMBER 1994 8:49:37 PM", 784_111_777), ("Sun, 06 Nov 1994 08:49:37 PST", 784_111_777),
      ("Sun, 06 Nov 1994 08:49:37", 784_111_777),
      ("Sun, 06/Nov/1994/08:49:37/GMT", 784_111_777), ("06,Nov,94,08:49:37", 784_111_777), ("06nd Nov 1994 08:49:37", 784_111_777),
      ("06 Novxyz 1994 08:49:37", 784_111_777), ("06 Nov 1994x 08:49:37", 784_111_777), ("06 Nov 1994 08:49:37x", 784_111_777),
      ("06 Nov 1994 08:49:37:99", 784_111_777), ("06 Nov 1994 08:49:37.999", 784_111_777), ("\t06\tNov\t1994\t08:49:37\t", 784_111_777),
      ("(06)[Nov]{1994}~08:49:37", 784_111_777), ("06 Nov 1994 08:49:37 07 Dec 1995 09:50:38", 784_111_777),
      ("06 Nov Dec 1994 08:49:37", 784_111_777), ("Nov 06 08:49:37 1994 GMT+0100 (CET)", 784_111_777), ("06 Nov 94 08:49:37", 784_111_777),
      // A day is looked for before a year: of two numbers with two digits the first is the day.
      ("06 94 Nov 08:49:37", 784_111_777), ("\u{FF}06 Nov 1994 06 08:49:37", 784_111_777),
      ("foo 06 bar Nov baz 1994 08:49:37", 784_111_777),
      ("06-nOv-1994 8:49:37", 784_111_777), ("Monday 06 Nov 1994 08:49:37", 784_111_777), ("06 Nov 1994 0:0:0", 784_080_000),
      ("1 Jan 70 0:0:0", 0), ("1 Jan 69 0:0:0", 3_124_224_000), ("1 Jan 00 0:0:0", 946_684_800), ("1 Jan 99 0:0:0", 915_148_800),
      ("1 Jan 1601 0:0:0", -11_644_473_600), ("31 Dec 9999 23:59:59", 253_402_300_799), ("1 Jan 070 0:0:0", 0),
      ("1 Jan 1969 0:0:0", -31_536_000),
      ("29 Feb 2024 12:00:00", 1_709_208_000), ("29 Feb 2000 00:00:00", 951_782_400), ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
      ("Wed Dec 31 1969 23:59:59 UTC", -1), ("2026-05-28T20:06:40Z 28 May 20:06:40 2026", 1_778_011_600),
      ("Thu, 28-May-2026 20:06:40 GMT", 1_779_998_800),
    ] as [(String, Int64?)]) func found(text: String, seconds: Int64?)
  {
    #expect(CookieDate.seconds(text) == seconds)
  }

  @Test(
    "what lacks one of them, or has one that is none, is no date",
    arguments: [
      "", " ", "Sun", "06 Nov 1994", "06 Nov 08:49:37", "06 1994 08:49:37", "Nov 1994 08:49:37", "Nov 1994", "0 Nov 1994 08:49:37",
      "00 Nov 1994 08:49:37",
      "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "30 Feb 1996 08:49:37", "29 Feb 1995 08:49:37", "29 Feb 1900 08:49:37",
      "06 Nov 1600 08:49:37",
      "06 Nov 100 08:49:37", "06 Nov 19940 08:49:37", "06 Nov 4 08:49:37", "006 Nov 1994 08:49:37", "06 No 1994 08:49:37",
      "06 11 1994 08:49:37",
      "06 Nov 1994 24:00:00", "06 Nov 1994 08:60:00", "06 Nov 1994 08:49:60", "06 Nov 1994 08:49", "06 Nov 1994 8:49:",
      "06 Nov 1994 :49:37",
      "06 Nov 1994 008:49:37", "06 Nov 1994 08:049:37", "06 Nov 1994 08:49:037", "06 Nov 1994 08h:49:37", "06 Nov 1994 08:49x:37",
      "06 Nov 1994 08.49.37",
      "06 Nov 1994 08:49 :37", "06 Nov 1994 99:99:99 08:49:37", "Nov6 1994 08:49:37", "0x6 Nov 1994", "1994-11-06 08:49:37",
      "1994-11-06T08:49:37Z", "784111777",
      "06 ноя 1994 08:49:37", "٠٦ Nov 1994 08:49:37", "06 Nov 99999999999999999999 08:49:37", "-1", "0", "06Nov1994 08:49:37",
    ]) func none(text: String)
  {
    #expect(CookieDate.seconds(text) == nil)
  }

  @Test("dates agree with the system's calendar, in every form")
  func calendar() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<5_000 {
      var clock = time_t(Int.random(in: -11_644_473_600...253_402_300_799, using: &generator))
      var parts = tm()
      gmtime_r(&clock, &parts)
      for format in ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%Y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y", "%Y %B %d %H:%M:%S"] {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = strftime(&buffer, buffer.count, format, &parts)
        let text = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #expect(CookieDate.seconds(text) == Int64(clock), "\(text)")
      }
    }
  }
}
