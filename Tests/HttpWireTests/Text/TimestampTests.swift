import HttpWire
import Testing

struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-12-01T12:00:00Z", 1_796_126_400), ("2000-02-29T23:59:59Z", 951_868_799),
    ("2026-12-01t12:00:00z", 1_796_126_400), ("2026-12-01 12:00:00+00:00", 1_796_126_400), ("2026-12-01T14:30:00+02:30", 1_796_126_400),
    ("2026-12-01T00:00:00-12:00", 1_796_126_400), ("9999-12-31T23:59:59Z", 253_402_300_799), ("2016-12-31T23:59:60Z", 1_483_228_800),
  ])
  func `a time is so many seconds after 1970`(text: String, seconds: Int64) {
    #expect(Timestamp.microseconds(text) == seconds * 1_000_000)
  }

  @Test func `fractions are kept to the microsecond`() {
    #expect(Timestamp.microseconds("1970-01-01T00:00:01.5Z") == 1_500_000)
    #expect(Timestamp.microseconds("1970-01-01T00:00:00.000001Z") == 1)
    #expect(Timestamp.microseconds("1970-01-01T00:00:00.1234567890123Z") == 123_456)
  }

  @Test(arguments: [
    "", "2026", "2026-12-01", "2026-12-01T12:00:00", "2026-13-01T12:00:00Z", "2026-02-29T12:00:00Z", "2026-12-00T12:00:00Z",
    "2026-12-01T24:00:00Z",
    "2026-12-01T12:60:00Z", "2026-12-01T12:00:61Z", "2026-12-01T12:00:00.Z", "2026-12-01T12:00:00.5", "2026-12-01T12:00:00+2:00",
    "2026-12-01T12:00:00+02:00x", "1969-12-31T23:59:59Z", "2026/12/01T12:00:00Z", "٢٠٢٦-12-01T12:00:00Z", "1970-01-01T00:00:00+00:01",
  ])
  func `anything else is none`(text: String) {
    #expect(Timestamp.microseconds(text) == nil)
  }
}
