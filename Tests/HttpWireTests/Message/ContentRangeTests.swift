import HttpWire
import TestSupport
import Testing

@Suite("Range and Content-Range")
struct ContentRangeTests {
  @Test(
    arguments: [
      ("bytes 0-99/200", 0, 99, 200), ("bytes 0-99/*", 0, 99, nil), ("bytes */200", nil, nil, 200), ("BYTES 0-0/1", 0, 0, 1),
      (" bytes  5-6/7 ", 5, 6, 7),
      ("bytes\t5-6/7", 5, 6, 7), ("bytes 007-008/0010", 7, 8, 10), ("bytes */0", nil, nil, 0),
      ("bytes 9223372036854775805-9223372036854775806/9223372036854775807", .max - 2, .max - 1, .max),
      ("bytes 0-9223372036854775806/*", 0, .max - 1, nil),
    ] as [(String, Int64?, Int64?, Int64?)])
  func `a Content-Range tells its bytes`(text: String, first: Int64?, last: Int64?, length: Int64?) throws {
    let range = try #require(ContentRange(text))
    #expect(range.first == first && range.last == last && range.completeLength == length)
    #expect(range.byteCount == (last.map { $0 - (first ?? 0) + 1 } ?? 0))
    #expect(HttpHeaders(dictionaryLiteral: ("Content-Range", text)).contentRange == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes ", "bytes 0-99", "bytes 0-99/", "bytes /200", "bytes 0-/200", "bytes -99/200", "bytes 99-0/200", "bytes 0-200/200",
    "bytes */*",
    "bytes=0-99/200", "bytes: 0-99/200", "items 0-99/200", "0-99/200", "bytes 0-99/200/300", "bytes 0-99/2x", "bytes +0-99/200",
    "bytes 0x0-99/200",
    "bytes 0-9223372036854775807/*", "bytes 0-1/9223372036854775808", "bytes 0-1/99999999999999999999999", "bytes 0-99/-1",
    "bytes 0-1,0-1/5",
    "bytes 0-1/5,5", "bytes 1,1-2/5", "bytes *-1/5", "bytes 0-*/5", "bytes ٠-٩/200", "bytes 0-99/200\0",
  ]) func `what is none is none`(text: String) {
    #expect(ContentRange(text) == nil)
  }

  @Test func `random and damaged ranges make nothing trap`() {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<50_000 {
      let text = String(
        decoding: generator.mutation(of: Array("bytes 9223372036854775806-9223372036854775806/9223372036854775807".utf8)), as: UTF8.self)
      guard let range = ContentRange(text) else { continue }
      #expect(range.byteCount >= 0)
      for wanted in [ByteRange.from(0), .closed(0, .max), .suffix(.max), .suffix(.min), .from(.min)] { _ = wanted.isAnswered(by: range) }
    }
  }

  @Test(
    arguments: [
      (ByteRange.from(0), "bytes=0-"), (.from(500), "bytes=500-"), (.closed(0, 0), "bytes=0-0"),
      (.closed(5, .max), "bytes=5-9223372036854775807"),
      (.suffix(500), "bytes=-500"), (.from(-1), nil), (.closed(5, 4), nil), (.closed(-1, 4), nil), (.suffix(0), nil), (.suffix(-5), nil),
    ] as [(ByteRange, String?)]) func `a range is written as the field wants it`(range: ByteRange, text: String?) throws
  {
    if let text {
      #expect(try range.headerValue() == text)
    } else {
      #expect(throws: WireError.self) { try range.headerValue() }
    }
  }

  @Test(arguments: [
    (ByteRange.from(100), "bytes 100-199/200", true), (.from(100), "bytes 100-198/200", false), (.from(100), "bytes 99-199/200", false),
    (.from(100), "bytes 100-150/*", true), (.from(100), "bytes */200", false), (.closed(0, 9), "bytes 0-9/200", true),
    (.closed(0, 9), "bytes 0-8/200", false), (.closed(0, 9), "bytes 0-4/5", true), (.closed(0, 9), "bytes 0-10/200", false),
    (.closed(0, 9), "bytes 0-4/*", false), (.suffix(50), "bytes 150-199/200", true), (.suffix(500), "bytes 0-199/200", true),
    (.suffix(50), "bytes 149-199/200", false), (.suffix(50), "bytes 100-149/200", false), (.suffix(50), "bytes 100-149/*", true),
    (.suffix(50), "bytes 100-150/*", false), (.suffix(0), "bytes 0-0/1", false),
  ]) func `an answer fits what was asked for, or does not`(range: ByteRange, answer: String, fits: Bool) throws {
    #expect(range.isAnswered(by: try #require(ContentRange(answer))) == fits)
  }
}
