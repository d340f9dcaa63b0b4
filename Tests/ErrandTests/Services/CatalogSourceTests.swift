import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct CatalogSourceTests {
  /// What the peer serves just now.
  private final class Served: Sendable {
    private let state = Locked((status: 200, body: "", etag: String?.none))
    func set(_ body: String, status: Int = 200, etag: String? = nil) { state.withLock { $0 = (status, body, etag) } }
    var now: (status: Int, body: String, etag: String?) { state.withLock { $0 } }
  }

  private static func document(_ names: String...) -> String {
    let services = names.map { #""\#($0)": {"versions": {"1": {"url": "http://\#($0).test"}}}"# }.joined(separator: ", ")
    return #"{"services": {\#(services)}}"#
  }

  private func serving(
    _ served: Served, _ test: @escaping (HttpClient, HttpRequest, ScriptedPeer) async throws -> Void
  ) async throws {
    try await scene(.test) { connection, request in
      let now = served.now
      if let etag = now.etag, request.head.headers["If-None-Match"] == etag {
        return connection.write("HTTP/1.1 304 Same\r\nETag: \(etag)\r\n\r\n")
      }
      connection.answer(now.body, status: now.status, fields: now.etag.map { "ETag: \($0)\r\n" } ?? "")
    } test: { client, peer in
      try await test(client, HttpRequest(await peer.url("/catalog")), peer)
    }
  }

  private static func names(_ store: CatalogStore) -> [String] { store.current.services.keys.sorted() }

  private static func settings(
    file: String? = nil, base: ServiceCatalog = ServiceCatalog(), reports: Record<String>? = nil
  ) -> CatalogSource.Settings {
    var settings = CatalogSource.Settings()
    settings.interval = .zero
    settings.file = file
    settings.base = base
    if let reports { settings.onReport = { reports.add($0.description) } }
    return settings
  }

  @Test func aDocumentIsFetchedAtTheStartAndAskedForAgainOnlyIfItIsNew() async throws {
    let served = Served()
    served.set(Self.document("a"), etag: "\"1\"")
    try await serving(served) { client, request, peer in
      let store = CatalogStore()
      let base = ServiceCatalog(["own": .init([1: ServiceVersion("http://own.test")])])
      let source = CatalogSource(request, client: client, store: store, settings: Self.settings(base: base))
      #expect(Self.names(store) == ["own"], "what is given in code is there from the start")
      let first = await source.start()
      #expect(first.description == "a new catalogue is in use, with 2 services")
      #expect(Self.names(store) == ["a", "own"])
      let second = await source.refresh()
      #expect(second.description == "the catalogue is unchanged")
      #expect(peer.requests.all.map { $0.head.headers["If-None-Match"] } == [nil, "\"1\""])
      served.set(Self.document("b"), etag: "\"2\"")
      await source.refresh()
      #expect(Self.names(store) == ["b", "own"])
      served.set(Self.document("b"))
      let same = await source.refresh()
      #expect(same.description == "the catalogue is unchanged", "the same bytes are no news, whatever the server says")
    }
  }

  @Test func whatCantBeFetchedOrUsedKeepsTheOldOne() async throws {
    let served = Served()
    served.set(Self.document("a"))
    try await serving(served) { client, request, _ in
      let store = CatalogStore()
      let reports = Record<String>("reports")
      let source = CatalogSource(request, client: client, store: store, settings: Self.settings(reports: reports))
      await source.start()
      served.set("oops", status: 503)
      await source.refresh()
      served.set(#"{"services": {"b": {"versions": {"1": {"urll": "http://b"}}}}}"#, etag: "\"bad\"")
      await source.refresh()
      await source.refresh()
      served.set("", status: 204)
      await source.refresh()
      #expect(Self.names(store) == ["a"])
      let bad =
        "the new catalogue can't be used, the old one stays in use: /services/b/versions/1/urll is not a field here; there are: "
        + "credentials, envelope, headers, timeouts, tls, url"
      #expect(
        reports.all == [
          "a new catalogue is in use, with 1 service",
          "the catalogue can't be fetched, the old one stays in use: http_status: 503 Said", bad, bad,
          "the catalogue can't be fetched, the old one stays in use: http_status: answered 204 instead of 200",
        ])
      served.set(Self.document("c"), etag: "\"bad\"")
      await source.refresh()
      #expect(Self.names(store) == ["c"], "the tag of a document that can't be used is not taken for its correction's")
    }
  }

  @Test func theFileOfLastTimeIsThereWhenTheServerIsNot() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("catalog.json")
    let served = Served()
    served.set(Self.document("a"))
    try await serving(served) { client, request, _ in
      await CatalogSource(request, client: client, store: CatalogStore(), settings: Self.settings(file: file)).start()
    }
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    served.set("", status: 500)
    try await serving(served) { client, request, _ in
      let store = CatalogStore()
      let reports = Record<String>("reports")
      let source = CatalogSource(request, client: client, store: store, settings: Self.settings(file: file, reports: reports))
      let report = await source.start()
      guard case .failed = report else {
        Issue.record("\(report)")
        return
      }
      #expect(Self.names(store) == ["a"])
      #expect(reports.all.first == "the catalogue of last time is in use, with 1 service")
      served.set(Self.document("a"))
      let same = await source.refresh()
      #expect(same.description == "the catalogue is unchanged")
    }
  }

  @Test func aBrokenFileIsSaidAndDoesNotMatter() async throws {
    let directory = try TemporaryDirectory()
    let broken = try directory.write("broken.json", Array("{".utf8))
    let served = Served()
    served.set(Self.document("a"))
    for (file, words) in [
      (broken, "the catalogue's file: \(broken) can't be used: the catalogue is not JSON: "),
      (directory.path, "the catalogue's file: \(directory.path) can't be read: read: Is a directory"),
    ] {
      try await serving(served) { client, request, _ in
        let store = CatalogStore()
        let reports = Record<String>("reports")
        await CatalogSource(request, client: client, store: store, settings: Self.settings(file: file, reports: reports)).start()
        #expect(Self.names(store) == ["a"])
        #expect(reports.all.first?.hasPrefix(words) == true, "\(reports.all)")
      }
    }
    try await serving(served) { client, request, _ in
      let reports = Record<String>("reports")
      let file = directory.file("missing/catalog.json")
      await CatalogSource(request, client: client, store: CatalogStore(), settings: Self.settings(file: file, reports: reports)).start()
      #expect(reports.all.first == "the catalogue's file: \(file) can't be written: open: No such file or directory")
    }
  }

  @Test func aDocumentOverTheLimitIsNotTaken() async throws {
    let served = Served()
    served.set(Self.document("a") + String(repeating: " ", count: 10_000))
    try await serving(served) { client, request, _ in
      var settings = Self.settings()
      settings.maxDocumentBytes = 1_000
      let report = await CatalogSource(request, client: client, store: CatalogStore(), settings: settings).start()
      guard case .failed(let error) = report else {
        Issue.record("\(report)")
        return
      }
      #expect(error.code == .tooLarge)
    }
  }

  @Test func itIsLookedAtAgainAtTheIntervalUntilStopped() async throws {
    let served = Served()
    served.set(Self.document("a"))
    try await serving(served) { client, request, peer in
      let store = CatalogStore()
      var settings = Self.settings()
      settings.interval = .milliseconds(5)
      let source = CatalogSource(request, client: client, store: store, settings: settings)
      await source.start()
      served.set(Self.document("b"))
      try await peer.requests.first(4)
      try await waitUntil("the new catalogue") { Self.names(store) == ["b"] }
      await source.stop()
      await source.refresh()
    }
  }

  @Test func looksAtTheSameTimeAreOne() async throws {
    let served = Served()
    served.set(Self.document("a"))
    try await serving(served) { client, request, peer in
      let source = CatalogSource(request, client: client, store: CatalogStore(), settings: Self.settings())
      await withTaskGroup { group in
        for _ in 0..<20 { group.addTask { await source.refresh() } }
      }
      #expect(peer.requests.count < 20)
    }
  }
}
