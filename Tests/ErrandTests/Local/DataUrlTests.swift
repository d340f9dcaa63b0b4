import TestSupport
import Testing

@testable import Errand

@Suite struct DataUrlTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let url: String
    let type: String
    /// nil: refused.
    let content: String?
    var testDescription: String { url }
  }

  private static let plain = "text/plain;charset=US-ASCII"

  @Test(arguments: [
    Row(url: "data:,", type: plain, content: ""),
    Row(url: "data:,A%20brief%20note", type: plain, content: "A brief note"),
    Row(url: "DATA:,x", type: plain, content: "x"),
    Row(url: "data:text/html,<b>", type: "text/html", content: "<b>"),
    Row(url: "data:text/plain;charset=iso-8859-7,%be%fa%be", type: "text/plain;charset=iso-8859-7", content: "\u{FFFD}\u{FFFD}\u{FFFD}"),
    Row(url: "data:;charset=utf-8,%C3%A4", type: "text/plain;charset=utf-8", content: "ä"),
    Row(url: "data:text/plain;base64,aGVsbG8=", type: "text/plain", content: "hello"),
    Row(url: "data:;base64,aGVsbG8", type: plain, content: "hello"),
    Row(url: "data:text/plain;charset=utf-8;BASE64,aGVsbG8=", type: "text/plain;charset=utf-8", content: "hello"),
    Row(url: "data:text/plain; base64,aGVsbG8=", type: "text/plain", content: "hello"),
    Row(url: "data:;base64,aG%56sbG8%3D", type: plain, content: "hello"),
    Row(url: "data:;base64,aG Vs\nbG8=", type: plain, content: "hello"),
    Row(url: "data:;base64,", type: plain, content: ""),
    Row(url: "data:text/plain;base64;x=y,aGVsbG8=", type: "text/plain;base64;x=y", content: "aGVsbG8="),
    Row(url: "data:base64,aGk=", type: plain, content: "aGk="),
    Row(url: "data:text,x", type: plain, content: "x"),
    Row(url: "data:te xt/html,x", type: plain, content: "x"),
    Row(url: "data:text/html\r\nX-Evil: 1,x", type: plain, content: "x"),
    Row(url: "data:text/html;x=é,x", type: plain, content: "x"),
    Row(url: "data: text/html ,x", type: "text/html", content: "x"),
    Row(url: "data:,a,b;c?d#fragment", type: plain, content: "a,b;c?d"),
    Row(url: "data:,100%", type: plain, content: "100%"),
    Row(url: "data:,%zz%4", type: plain, content: "%zz%4"),
    Row(url: "data:,ä", type: plain, content: "ä"),
    Row(url: "data:,a+b", type: plain, content: "a+b"),
    Row(url: "data:application/json,{\"a\":1}", type: "application/json", content: "{\"a\":1}"),
    Row(url: "data:", type: "", content: nil),
    Row(url: "data:text/plain", type: "", content: nil),
    Row(url: "data:text/plain#,x", type: "", content: nil),
    Row(url: "data:;base64,a", type: plain, content: nil),
    Row(url: "data:;base64,a===", type: plain, content: nil),
    Row(url: "data:;base64,aG=Vs", type: plain, content: nil),
    Row(url: "data:;base64,aGVsbG8==", type: plain, content: nil),
    Row(url: "data:;base64,a-_b", type: plain, content: nil),
    Row(url: "data:;base64,aGVsbG8%", type: plain, content: nil),
  ])
  func eachUrlHasItsTypeAndContent(row: Row) {
    do throws(HttpClientError) {
      let url = try DataUrl(row.url)
      #expect(url.mediaType == row.type)
      let content = try url.decoded()
      #expect(String(decoding: content, as: UTF8.self) == row.content)
    } catch {
      #expect(row.content == nil && error.code == .invalidRequest && error.field == "url", "\(error)")
    }
  }

  @Test func itsDataIsNotShown() throws {
    #expect(try DataUrl("data:text/plain;base64,c2VjcmV0").shown == "data:text/plain;base64,…")
    #expect(try DataUrl("data:,secret").shown == "data:text/plain;charset=US-ASCII,…")
  }

  @Test(arguments: [
    ("data:,", true), ("DaTa:x", true), ("data", false), ("datax:", false), ("http://data:80/", false), ("", false), (":", false),
  ])
  func theSchemeIsKnownInAnyCase(url: String, isOne: Bool) {
    #expect(DataUrl.isOne(url) == isOne)
  }

  @Test func bytesOfAnyKindNeverTrap() {
    let pieces = ["data:", "%", "%4", ";", "base64", ",", "=", "\u{0}", "é", "a", "#", "/", " ", "\n"]
    for seed in 0..<UInt64(3_000) {
      var generator = SeededGenerator(seed: seed)
      let text =
        "data:" + (0..<Int.random(in: 0...12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      _ = try? DataUrl(text).decoded()
      _ = try? FileUrl("file:" + text.dropFirst(5))
    }
  }
}
