import Errand
import Glibc
import Testing

/// Proxies as a command line or a configuration checks them.
struct ProxyChoiceTests {
  @Test func `what is wrong with a proxy is told without its secrets`() {
    #expect(ProxyChoice.url("socks5h://user:secret@h:1080").fault == nil)
    #expect(ProxyChoice.url("").fault == nil)
    #expect(ProxyChoice.none.fault == nil)
    #expect(ProxyChoice.environment.fault == nil)
    for url in ["ftp://user:secret@h", "http://user:secret@h:x/", "socks4://user:secret@h", "http://user:secret@h/path"] {
      let fault = ProxyChoice.url(url).fault
      #expect(fault != nil && fault?.contains("secret") == false, "\(url): \(fault ?? "-")")
    }
  }

  @Test func `hosts are exempt as in no_proxy`() {
    #expect(ProxyChoice.isExempt("a.example.com", from: "localhost,.example.com"))
    #expect(ProxyChoice.isExempt("10.1.2.3", from: "10.0.0.0/8"))
    #expect(ProxyChoice.isExempt("any", from: "*"))
    #expect(!ProxyChoice.isExempt("example.org", from: "example.com"))
    #expect(!ProxyChoice.isExempt("example.org", from: ""))
  }
}
