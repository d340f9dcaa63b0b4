import HttpWire
import Testing

@testable import Errand

@Suite struct ServiceCatalogTests {
  private static let catalog = ServiceCatalog([
    "stockQuote": .init([1: ServiceVersion("http://old.test"), 2: ServiceVersion("https://stock.test/v2/", "https://spare.test")]),
    "news": .init([0: ServiceVersion("http://news.test/n")]),
    "bare": .init([:]),
    "broken": .init([1: ServiceVersion("http://x.test?q=1")]),
  ])

  @Test(
    arguments: [
      ("stockQuote", 2, "/quote", 2, "https://stock.test/v2/quote"), ("stockQuote", nil, "quote?a=b", 2, "https://stock.test/v2/quote?a=b"),
      ("stockQuote", 1, "", 1, "http://old.test"), ("news", nil, "x", 0, "http://news.test/n/x"),
      ("news", 0, "/x", 0, "http://news.test/n/x"),
    ] as [(String, Int?, String, Int, String)])
  func aServiceIsFoundByNameAndVersion(name: String, asked: Int?, path: String, version: Int, url: String) throws {
    let resolved = try Self.catalog.resolve(service: name, version: asked, path: path)
    #expect(resolved.service == name && resolved.version == version && resolved.url == url)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let name: String
    var version: Int?
    var path = ""
    let field: String
    let message: String
    var testDescription: String { message }
  }

  @Test(arguments: [
    Refusal(
      name: "stockQoute", field: "service",
      message: "service stockQoute is not known; there are: bare, broken, news, stockQuote"),
    Refusal(name: "stockQuote", version: 3, field: "service_version", message: "stockQuote has no version 3; there are: 1, 2"),
    Refusal(name: "news", version: -1, field: "service_version", message: "news has no version -1; there are: 0"),
    Refusal(name: "bare", field: "service_version", message: "bare has no version; there are none"),
    Refusal(
      name: "broken", field: "service",
      message: "broken, version 1, can't be used: the base URL http://x.test?q=1 can't be used: it has a query or a fragment"),
    Refusal(
      name: "news", path: "../admin", field: "path", message: "the path has a segment .., which would lead out of the base URL"),
  ])
  func whatIsNotThereIsRefusedWithWhatIs(row: Refusal) {
    let error = #expect(throws: HttpClientError.self) {
      try Self.catalog.resolve(service: row.name, version: row.version, path: row.path)
    }
    #expect(error?.code == .invalidRequest && error?.field == row.field && error?.message == row.message)
  }

  @Test func aLongListOfNamesIsCut() {
    let many = ServiceCatalog(Dictionary(uniqueKeysWithValues: (100..<200).map { ("s\($0)", .init([1: ServiceVersion("http://h")])) }))
    let error = #expect(throws: HttpClientError.self) { try many.resolve(service: "x\n" + String(repeating: "y", count: 10_000)) }
    #expect(error?.message.hasSuffix("s118, s119 and 80 more") == true && (error?.message.utf8.count ?? 0) < 400)
    #expect(throws: HttpClientError.self) { try ServiceCatalog().resolve(service: "x") }
  }

  @Test func cataloguesAreMergedByVersion() throws {
    let merged = Self.catalog.merging(
      ServiceCatalog([
        "stockQuote": .init(
          [2: ServiceVersion("http://new.test"), 3: ServiceVersion("http://three.test")], limits: ServiceLimits(maxInFlight: 1)),
        "own": .init([1: ServiceVersion("http://own.test")]),
      ]))
    #expect(merged.services.count == 5 && merged.services["stockQuote"]?.limits?.maxInFlight == 1)
    #expect(try merged.resolve(service: "stockQuote", version: 1).url == "http://old.test")
    #expect(try merged.resolve(service: "stockQuote", version: 2).url == "http://new.test")
    #expect(try merged.resolve(service: "stockQuote").version == 3)
  }
}
