import Testing

@testable import ErrandDaemon

struct NdjsonLinesTests {
  @Test(
    arguments: [
      ("", 0, []), ("a", 1, ["1:a"]), ("a\n", 1, ["1:a"]), ("a\n\nb\r\n \n", 4, ["1:a", "3:b\r"]), ("\n\n", 2, []),
      ("a\nb", 2, ["1:a", "2:b"]),
    ] as [(String, Int, [String])])
  func `lines keep their numbers, and blank ones are passed over`(text: String, count: Int, expected: [String]) {
    let bytes = Array(text.utf8)
    let lines = NdjsonLines(bytes)
    #expect(lines.count == count)
    #expect(lines.map { "\($0.number):\(String(decoding: bytes[$0.range], as: UTF8.self))" } == expected)
  }
}
