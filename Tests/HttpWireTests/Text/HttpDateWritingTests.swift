import TestSupport
import Testing

@testable import HttpWire

@Suite struct HttpDateWritingTests {
  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"), (.max, "Fri, 31 Dec 9999 23:59:59 GMT"), (.min, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ] as [(Int64, String)])
  func aDateIsWrittenAsTheStandardWantsIt(seconds: Int64, text: String) {
    #expect(HttpDate.text(seconds) == text)
  }

  @Test func whatIsWrittenIsReadAsTheSame() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<20_000 {
      let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &generator)
      #expect(HttpDate.seconds(HttpDate.text(seconds), now: 0) == seconds)
    }
  }
}
