import HttpWire
import Testing

@testable import ErrandDaemon

struct UrlHostTests {
  @Test(arguments: [
    "http://example.com", "http://EXAMPLE.com:81/a@b", "http://user:pass@example.com/?x=http://other/", "http://example.com?a@b",
    "http://[::1]:80/x", "http://[::1]", "http://127.0.0.1:1/", "http://u@[fe80::1]/a",
  ])
  func `the host found is that of the URL`(url: String) throws {
    let host = try HttpUrl(url).host
    #expect(UrlHost.of(url, is: host))
    #expect(!UrlHost.of(url, is: host + "x"))
    #expect(!UrlHost.of(url, is: String(host.dropLast())))
    #expect(!UrlHost.of(url, is: "other"))
  }

  @Test(arguments: ["", "http", "http:", "http://"]) func `what is no URL has no host`(url: String) {
    #expect(!UrlHost.of(url, is: "example.com"))
  }
}
