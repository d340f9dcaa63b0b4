import EventLoop
import HttpWire
import Testing

@testable import Errand

/// Which requests have rules of their own.
struct RequestRulesTests {
  private let base = RequestRules(HttpClient.Configuration(), expect: .any)

  @Test func optionsAboutAnythingElseLeaveTheClientsRules() {
    let changes: [(inout RequestOptions) -> Void] = [
      { _ in }, { $0.priority = 1 }, { $0.unixSocket = "/x" }, { $0.tls = TlsSettings() }, { $0.proxy = ProxyChoice.none },
      { $0.httpVersion = .http2 },
      { $0.credentials = .bearer("t") }, { $0.cookies = .none }, { $0.cache = .reload },
    ]
    for (index, change) in changes.enumerated() {
      var request = HttpRequest("http://h/")
      change(&request.options)
      #expect(base.applied(to: request, streams: false) === base, "change \(index)")
      #expect(base.applied(to: request, streams: true) !== base, "change \(index)")
    }
    #expect(base.applied(to: HttpRequest("http://h/"), streams: false) === base)
  }

  @Test func eachOfTheRulesIsTheRequestsOwnWhereItIsSet() {
    let changes: [((inout RequestOptions) -> Void, (RequestRules) -> Bool)] = [
      ({ $0.timeouts.total = .seconds(1) }, { $0.nanoseconds(of: .total) == 1_000_000_000 }),
      ({ $0.timeouts.queue = .zero }, { $0.nanoseconds(of: .queue) == 0 }),
      ({ $0.retry.max = 1 }, { $0.retry.max == 1 }),
      ({ $0.envelope = .statusInfo }, { $0.normalizer.envelope == .statusInfo }),
      ({ $0.acceptStatus = [404] }, { $0.normalizer.acceptStatus == [404] }),
      ({ $0.maxBodyBytes = 7 }, { $0.maxBodyBytes == 7 }),
      ({ $0.decodes = false }, { !$0.decodes(ResponseHead(status: 200, headers: ["Content-Encoding": "gzip"]), .get) }),
      ({ $0.service = "s" }, { $0.service == "s" }),
      ({ $0.redirects = .manual }, { $0.redirects == .manual }),
      ({ $0.maxRedirects = 3 }, { $0.maxRedirects == 3 }),
      ({ $0.allowsInsecureRedirects = true }, { $0.allowsInsecureRedirects }),
      ({ $0.download = Download(to: "/x") }, { $0.download != nil && $0.nanoseconds(of: .total) == 0 }),
    ]
    for (index, (change, holds)) in changes.enumerated() {
      var request = HttpRequest("http://h/")
      change(&request.options)
      let rules = base.applied(to: request, streams: false)
      #expect(rules !== base && holds(rules), "change \(index)")
    }
  }
}
