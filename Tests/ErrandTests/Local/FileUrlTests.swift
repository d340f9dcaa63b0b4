import Testing

@testable import Errand

@Suite struct FileUrlTests {
  @Test(arguments: [
    ("file:///tmp/a.txt", "/tmp/a.txt"), ("file:/tmp/a", "/tmp/a"), ("FILE:///a", "/a"), ("file://localhost/a", "/a"),
    ("file://LOCALHOST/a", "/a"),
    ("file:///", "/"), ("file:///a%20b%3F%23c", "/a b?#c"), ("file:///a#b", "/a"), ("file:///ä", "/ä"), ("file:///a%2Fb", "/a/b"),
    ("file:///100%", "/100%"), ("file:///a/../b", "/a/../b"), ("file:////a", "//a"), ("file:///a+b", "/a+b"),
  ])
  func aPathIsRead(url: String, path: String) throws {
    #expect(String(decoding: try FileUrl(url).path, as: UTF8.self) == path)
  }

  @Test func aPathMayHoldAnyBytes() throws {
    #expect(try FileUrl("file:///%ff%fe").path == [0x2F, 0xFF, 0xFE])
  }

  @Test(arguments: [
    ("file:", "has no absolute path"), ("file:a", "has no absolute path"), ("file://", "has no absolute path"),
    ("file://localhost", "has no absolute path"), ("file:./a", "has no absolute path"), ("file://host/a", "a host other than localhost"),
    ("file://127.0.0.1/a", "a host other than localhost"), ("file://localhost:80/a", "a host other than localhost"),
    ("file://user@localhost/a", "a host other than localhost"), ("file:///a?b", "has a query"), ("file:///a%00b", "holds a NUL"),
  ])
  func whatNamesNoFileHereIsRefused(url: String, words: String) {
    let error = #expect(throws: HttpClientError.self) { try FileUrl(url) }
    #expect(error?.code == .invalidRequest && error?.field == "url" && error?.message.contains(words) == true)
  }

  @Test(arguments: [
    ("file:///a/b.txt", "txt"), ("file:///a.d/b", ""), ("file:///a/.profile", ""), ("file:///a.tar.GZ", "GZ"), ("file:///a.", ""),
    ("file:///", ""),
  ])
  func theNamesExtensionIsFound(url: String, name: String) throws {
    #expect(try FileUrl(url).nameExtension == name)
  }
}
