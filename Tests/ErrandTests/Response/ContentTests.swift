import HttpWire
import Testing

@testable import Errand

@Suite("What a response says of its body")
struct ContentTests {
  @Test(
    arguments: [
      (nil, Array("grün".utf8), "grün", "utf-8"), ("text/plain; charset=latin1", [0x67, 0xFC], "gü", "windows-1252"),
      ("text/html; charset=shift_jis", [0x93, 0xFA], "日", "shift_jis"), ("text/plain; charset=unheard-of", [0xFF], "\u{FFFD}", "utf-8"),
      ("text/plain; charset=latin1", [0xEF, 0xBB, 0xBF, 0x61], "a", "utf-8"), ("text/plain; charset=euc-kr", [], "", "euc-kr"),
      ("application/json", [0xFF, 0xFE, 0x61, 0], "a", "utf-16le"),
    ] as [(String?, [UInt8], String, String)])
  func `its text is read by its charset`(contentType: String?, body: [UInt8], text: String, encoding: String) {
    let response = HttpResponse(status: 200, headers: contentType.map { ["Content-Type": $0] } ?? [:], body: body)
    #expect(response.text == text && response.textEncoding == encoding)
  }

  @Test func `it has a type, a length and a name where its headers tell them`() {
    let told = HttpResponse(
      status: 200,
      headers: ["Content-Type": "image/PNG", "Content-Length": "5", "Content-Disposition": "attachment; filename=\"../a.png\""])
    #expect(
      told.contentType?.description == "image/png" && told.expectedLength == 5 && told.suggestedFileName(for: "http://a/b") == "a.png")
    let silent = HttpResponse(status: 200)
    #expect(silent.contentType == nil && silent.expectedLength == nil && !silent.wasDecoded)
    #expect(silent.suggestedFileName(for: "http://a/b.txt?c") == "b.txt" && silent.suggestedFileName(for: "no URL") == "download")
    #expect(HttpResponse(status: 200, headers: ["Content-Length": "5", "Content-Encoding": "gzip"]).expectedLength == nil)
  }
}
