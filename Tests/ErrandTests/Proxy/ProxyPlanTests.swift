import HttpWire
import Testing

@testable import Errand

@Suite("The plan of a request's way")
struct ProxyPlanTests {
  static let http = "http://u:p@proxy.test:3128"

  private func plan(
    _ url: String, _ choice: ProxyChoice = .environment, _ environment: [String: String] = [:], unixSocket: String? = nil,
    needsTunnel: Bool = false
  ) throws -> ProxyPlan {
    let selection = ProxySelection(choice, ProxyEnvironment(environment))
    return try ProxyPlan(try HttpUrl(url), selection, unixSocket: unixSocket, needsTunnel: needsTunnel)
  }

  /// The host of the proxy that a URL goes through.
  private func host(_ url: String, _ environment: [String: String]) throws -> String? {
    switch try plan(url, .environment, environment) {
    case .direct: nil
    case .forward(let proxy), .tunnel(let proxy): proxy.host
    }
  }

  @Test("http goes through an HTTP proxy as it is, all else through a tunnel")
  func forms() throws {
    for kind in ["http", "https"] {
      let text = "\(kind)://proxy.test:3128"
      let proxy = try Proxy(text)
      #expect(try plan("http://a.test/", .url(text)) == .forward(proxy))
      #expect(try plan("https://a.test/", .url(text)) == .tunnel(proxy))
      #expect(try plan("http://a.test/", .url(text), needsTunnel: true) == .tunnel(proxy))
    }
    for kind in ["socks5", "socks5h"] {
      let text = "\(kind)://proxy.test"
      #expect(try plan("http://a.test/", .url(text)) == .tunnel(try Proxy(text)))
      #expect(try plan("https://a.test/", .url(text)) == .tunnel(try Proxy(text)))
    }
  }

  @Test("a proxy is off by setting, by an empty URL, and for Unix sockets")
  func off() throws {
    let environment = ["http_proxy": Self.http, "https_proxy": Self.http, "all_proxy": Self.http]
    #expect(try plan("http://a.test/", .none, environment) == .direct)
    #expect(try plan("http://a.test/", .url(""), environment) == .direct)
    #expect(try plan("http://a.test/", .environment, environment, unixSocket: "/run/x") == .direct)
    #expect(try plan("http://a.test/", .url(Self.http), environment, unixSocket: "/run/x") == .direct)
    #expect(try plan("http://a.test/") == .direct)
    #expect(try plan("http://a.test/", .environment, ["no_proxy": "x"]) == .direct)
  }

  @Test(
    "the environment's variables have curl's meaning",
    arguments: [
      (["http_proxy": "low"], "low", nil),
      (["HTTP_PROXY": "up"], nil, nil),
      (["HTTP_PROXY": "up", "http_proxy": "low"], "low", nil),
      (["https_proxy": "low"], nil, "low"),
      (["HTTPS_PROXY": "up"], nil, "up"),
      (["HTTPS_PROXY": "up", "https_proxy": "low"], nil, "low"),
      (["HTTPS_PROXY": "up", "https_proxy": ""], nil, "up"),
      (["all_proxy": "low"], "low", "low"),
      (["ALL_PROXY": "up"], "up", "up"),
      (["ALL_PROXY": "up", "all_proxy": "low"], "low", "low"),
      (["all_proxy": "all", "http_proxy": "h"], "h", "all"),
      (["all_proxy": "all", "https_proxy": "s"], "all", "s"),
      (["all_proxy": "all", "http_proxy": ""], "all", "all"),
      (["http_proxy": "", "all_proxy": ""], nil, nil),
      (["Http_Proxy": "mixed"], nil, nil),
      (["http_proxy": "h", "no_proxy": "test"], nil, nil),
      (["http_proxy": "h", "NO_PROXY": "test"], nil, nil),
      (["http_proxy": "h", "NO_PROXY": "test", "no_proxy": "other"], "h", nil),
      (["http_proxy": "h", "NO_PROXY": "test", "no_proxy": ""], nil, nil),
    ] as [([String: String], String?, String?)])
  func environment(variables: [String: String], http: String?, https: String?) throws {
    #expect(try host("http://a.test/", variables) == http)
    #expect(try host("https://a.test/", variables) == https)
  }

  @Test("the environment's exceptions hold for a proxy by URL that has none of its own")
  func exceptions() throws {
    let environment = ["no_proxy": "a.test"]
    #expect(try plan("http://a.test/", .url(Self.http), environment) == .direct)
    #expect(try plan("http://b.test/", .url(Self.http), environment) != .direct)
    #expect(try plan("http://a.test/", .url(Self.http, noProxy: ""), environment) != .direct)
    #expect(try plan("http://a.test/", .url(Self.http, noProxy: "b.test"), environment) != .direct)
    #expect(try plan("http://b.test/", .url(Self.http, noProxy: "b.test"), environment) == .direct)
  }

  @Test("a wrong proxy fails the requests that would go through it, and names its variable")
  func wrong() throws {
    let environment = ["HTTPS_PROXY": "socks4://u:hush@h", "no_proxy": "b.test"]
    #expect(throws: ProxyError("HTTPS_PROXY in the environment: SOCKS 4 is not supported: use a socks5:// or socks5h:// proxy")) {
      try plan("https://a.test/", .environment, environment)
    }
    #expect(try plan("http://a.test/", .environment, environment) == .direct)
    #expect(try plan("https://b.test/", .environment, environment) == .direct)
    #expect(try plan("https://a.test/", .none, environment) == .direct)
    #expect(throws: ProxyError.self) { try plan("http://a.test/", .url("ftp://h")) }
  }

  @Test("the process's environment can be read")
  func process() {
    _ = ProxyEnvironment.process
  }

  @Test("the proxy's credentials go with forwarded requests only, and the caller's field before them")
  func authorization() throws {
    let forward = try plan("http://a.test/", .url(Self.http))
    #expect(try forward.authorization(with: [:]) == "Basic dTpw")
    #expect(try forward.authorization(with: ["Authorization": "x"]) == "Basic dTpw")
    #expect(try forward.authorization(with: ["proxy-authorization": "Bearer x"]) == nil)
    #expect(try plan("http://a.test/", .url("proxy.test")).authorization(with: [:]) == nil)
    let tunnel = try plan("https://a.test/", .url(Self.http))
    #expect(try tunnel.authorization(with: ["Authorization": "x"]) == nil)
    #expect(try ProxyPlan.direct.authorization(with: ["Proxy-Authorization": "x"]) == nil)
  }

  @Test("a caller's Proxy-Authorization is refused where it would go through a tunnel to the origin")
  func refused() throws {
    for proxy in [Self.http, "socks5://u:p@proxy.test"] {
      let tunnel = try plan("https://a.test/", .url(proxy))
      #expect {
        try tunnel.authorization(with: ["PROXY-Authorization": "Basic hush"])
      } throws: { error in
        let message = (error as? ProxyError)?.message ?? ""
        return message.contains("would reach the origin") && !message.contains("hush") && !message.contains("u:p")
      }
    }
  }
}
