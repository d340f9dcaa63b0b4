import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct ServiceRequestTests {
  /// A client whose catalogue has the service `s` at the peer, changed as a test likes.
  private func serving(
    _ change: @escaping (inout ServiceVersion, inout HttpClient.Configuration) -> Void = { _, _ in },
    script: @escaping ScriptedPeer.Script = { connection, _ in connection.answer("{}") },
    test: (HttpClient, ScriptedPeer) async throws -> Void
  ) async throws {
    let store = CatalogStore()
    var configuration = HttpClient.Configuration.test { $0.catalog = store }
    var version = ServiceVersion()
    change(&version, &configuration)
    let made = version
    try await scene(configuration, script) { client, peer in
      var version = made
      version.urls = [await peer.url("/base/")]
      store.replace(with: ServiceCatalog(["s": .init([1: ServiceVersion("http://old.invalid"), 2: version])]))
      try await test(client, peer)
    }
  }

  private func request(_ path: String? = nil, _ change: (inout HttpRequest) -> Void = { _ in }) -> HttpRequest {
    var request = HttpRequest("")
    request.service = "s"
    if let path { request.path = path }
    change(&request)
    return request
  }

  @Test func aRequestOfAServiceGoesWhereTheCatalogueSays() async throws {
    try await serving { client, peer in
      var request = request("items?a=1")
      request.params = [HttpParam("b", "2")]
      _ = try await client.send(request)
      _ = try await client.send(self.request())
      #expect(peer.requests.all.map(\.target) == ["/base/items?a=1&b=2", "/base/"])
    }
  }

  @Test func headersAreFixedOrMadeForEachRequestAndTheRequestsOwnCountFirst() async throws {
    try await serving { version, _ in
      version.headers = ["X-Fixed": "f", "X-Made": "no", "X-Own": "no", "X-Twice": "1", "X-Twice": "2"]
      version.makeHeaders = { request in
        ["X-Made": String(request.url.suffix(4)) + (request.headers["X-Own"] ?? ""), "x-own": "no"]
      }
    } test: { client, peer in
      _ = try await client.send(request("here") { $0.headers = ["X-Own": "own"] })
      let headers = try #require(peer.requests.all.first).head.headers
      #expect(headers.values("X-Fixed") == ["f"] && headers.values("X-Made") == ["hereown"] && headers.values("X-Own") == ["own"])
      #expect(headers.values("X-Twice") == ["1", "2"])
    }
  }

  @Test func theStoreMakesHeadersForServicesOfDocuments() async throws {
    let store = CatalogStore(headers: ["s": { _ in ["X-Token": "t"] }])
    try await scene(.test { $0.catalog = store }) { connection, _ in
      connection.answer()
    } test: { client, peer in
      store.replace(with: ServiceCatalog(["s": .init([1: ServiceVersion(await peer.url())])]))
      _ = try await client.send(request())
      #expect(peer.requests.all.first?.head.headers["X-Token"] == "t")
    }
  }

  @Test func envelopeAndTimeoutsAreTheServicesUnlessTheRequestHasItsOwn() async throws {
    try await serving { version, _ in
      version.envelope = .codeMsgData
      version.timeouts = Timeouts(firstByte: .milliseconds(50), total: .seconds(50))
    } script: { connection, request in
      if request.target != "/base/never" { connection.answer(#"{"code": "E", "msg": "no", "data": 1}"#) }
    } test: { client, peer in
      let refused = try await client.failure(request("a"))
      #expect(refused.code == .service && refused.serviceCode == "E")
      let late = try await client.failure(request("never"))
      #expect(late.code == .timeout && late.phase == .firstByte && late.message.contains("50 ms"))
      let own = EnvelopeProfile(name: "own", successPointer: "/code", successValues: ["E"], dataPointer: "/data")
      #expect(try await client.send(request("a") { $0.envelope = own }, as: Int.self) == 1)
      let patient = try await client.failure(request("never") { $0.timeouts.firstByte = .milliseconds(60) })
      #expect(patient.message.contains("60 ms"))
    }
  }

  @Test func whatCantBeResolvedIsAnOutcomeInWords() async throws {
    try await serving { version, configuration in
      version.tls = .named("absent")
      configuration.namedTls = ["internal": TlsSettings()]
    } test: { client, peer in
      func refusal(_ request: HttpRequest) async throws -> String {
        let error = try await client.failure(request)
        return "\(error.code) \(error.field ?? ""): \(error.message)"
      }
      let rows: [(HttpRequest, String)] = [
        (request { $0.service = "t" }, "invalid_request service: service t is not known; there are: s"),
        (request { $0.serviceVersion = 3 }, "invalid_request service_version: s has no version 3; there are: 1, 2"),
        (request("a/../b"), "invalid_request path: the path has a segment .., which would lead out of the base URL"),
        (
          request("x"),
          "invalid_request tls: service s wants the TLS settings absent, which are not known; there are: internal"
        ),
        (
          request("x") { $0.url = "http://h/" },
          "invalid_request path: a request has either a URL, or a service and a path below it"
        ),
      ]
      for (request, words) in rows {
        let found = try await refusal(request)
        #expect(found == words)
      }
      #expect(peer.accepted.count == 0)
    }
  }

  @Test func aClientWithoutACatalogueSaysSo() async throws {
    try await scene(.test) { connection, _ in
      connection.answer()
    } test: { client, peer in
      let error = try await client.failure(request("x"))
      #expect(error.message == "service s is not known: the client has no catalogue of services" && error.field == "service")
      _ = try await client.send(request().to(await peer.url()))
      #expect(peer.requests.count == 1, "with a URL a service is a name for limits alone")
    }
  }

  @Test func credentialsAreNamedByTheService() async throws {
    try await serving { version, configuration in
      version.credentials = "stock"
      configuration.namedCredentials = ["stock": .bearer("t")]
    } test: { client, _ in
      let configuration = await client.onLoop { $0.engine.configuration }
      let completed = try configuration.completed(request("a"))
      #expect(completed.credentials == .bearer("t") && completed.serviceVersion == 2)
      let own = try configuration.completed(request("a") { $0.credentials = .bearer("own") })
      #expect(own.credentials == .bearer("own"))
      let ownHeader = try configuration.completed(request("a") { $0.headers = ["Authorization": "x"] })
      #expect(ownHeader.credentials == nil)
    }
  }

  @Test func tokenSourcesAreNamedByTheServiceInTheSameWay() async throws {
    let (named, own) = (NoTokens(), NoTokens())
    try await serving { version, configuration in
      version.credentials = "stock"
      configuration.namedTokenSources = ["stock": named]
    } test: { client, _ in
      let configuration = await client.onLoop { $0.engine.configuration }
      let completed = try configuration.completed(request("a"))
      #expect(completed.tokenSource === named && completed.credentials == nil)
      let withOwn = try configuration.completed(request("a") { $0.tokenSource = own })
      #expect(withOwn.tokenSource === own)
      let withCredentials = try configuration.completed(request("a") { $0.credentials = .bearer("own") })
      #expect(withCredentials.tokenSource == nil)
    }
    try await serving { version, configuration in
      version.credentials = "stock"
      configuration.namedTokenSources = ["b": named]
      configuration.namedCredentials = ["a": .bearer("t"), "stock": .bearer("t")]
    } test: { client, _ in
      let configuration = await client.onLoop { $0.engine.configuration }
      let withOwn = try configuration.completed(request("a") { $0.tokenSource = own })
      #expect(withOwn.tokenSource === own && withOwn.credentials == nil, "what a request says of itself stands above its service's")
    }
  }

  @Test func aServicesHeadersStayWithItsOrigin() async throws {
    try await scene(.test) { connection, _ in
      connection.answer()
    } test: { client, other in
      let elsewhere = await other.url("/there")
      try await serving { version, _ in
        version.headers = ["X-Api-Key": "secret"]
      } script: { connection, _ in
        connection.answer(status: 302, fields: "Location: \(elsewhere)\r\n")
      } test: { client, peer in
        _ = try await client.send(request { $0.headers = ["X-Mine": "m"] })
        #expect(peer.requests.all.first?.head.headers["X-Api-Key"] == "secret")
      }
      let seen = try #require(other.requests.all.first).head.headers
      #expect(seen["X-Api-Key"] == nil && seen["X-Mine"] == "m")
    }
  }

  @Test func theLimitsOfTheCatalogueCountWhereNoneAreSet() {
    var configuration = HttpClient.Configuration.test
    configuration.services = ["a": ServiceLimits(maxInFlight: 1)]
    configuration.catalog = CatalogStore(
      ServiceCatalog([
        "a": .init([1: ServiceVersion("http://h")], limits: ServiceLimits(maxInFlight: 9)),
        "b": .init([1: ServiceVersion("http://h")], limits: ServiceLimits(maxInFlight: 2)),
      ]))
    #expect(configuration.withCatalogLimits.services.mapValues(\.maxInFlight) == ["a": 1, "b": 2])
  }

  @Test func aDeclaredRequestNamesItsService() async throws {
    struct Find: HttpCall {
      typealias Response = [Int]
      var path: String { "find" }
      var service: String? { "s" }
      var serviceVersion: Int? { 2 }
      var q = "x"
    }
    try await serving { version, _ in
      version.envelope = .codeMsgData
    } script: { connection, _ in
      connection.answer(#"{"code": 0, "data": [1, 2]}"#)
    } test: { client, peer in
      let found = try await client.send(Find())
      #expect(found == [1, 2])
      #expect(peer.requests.all.first?.target == "/base/find?q=x")
    }
  }
}

extension HttpRequest {
  fileprivate func to(_ url: String) -> HttpRequest {
    var request = self
    request.url = url
    return request
  }
}

private final class NoTokens: TokenSource {
  func token(for request: TokenRequest) async throws -> String { throw HttpClientError(.denied, message: "there are none") }
}
