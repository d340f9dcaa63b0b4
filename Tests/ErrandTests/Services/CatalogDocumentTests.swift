import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct CatalogDocumentTests {
  private func read(_ text: String) throws(CatalogError) -> ServiceCatalog { try ServiceCatalog(json: Array(text.utf8)) }

  /// A document with one version, of these members.
  private func version(_ members: String) throws(CatalogError) -> ServiceVersion? {
    try read(#"{"services": {"s": {"versions": {"1": {"url": "http://h", \#(members)}}}}}"#).services["s"]?.versions[1]
  }

  @Test func everyFieldIsRead() throws {
    let catalog = try read(
      #"""
      {"services": {
        "stockQuote": {
          "limits": {"max_in_flight": 20, "rate": {"per_second": 0.5, "burst": 10}},
          "versions": {
            "2": {
              "url": ["https://stock.test/v2", "https://spare.test"],
              "headers": {"X-Client": "errand", "X-Two": ["a", "b"]},
              "timeouts": {"queue_ms": 0, "connect_ms": 1, "first_byte_ms": 2, "idle_ms": 3, "total_ms": 5000},
              "envelope": "code-msg-data", "credentials": "stock", "tls": "internal"},
            "10": {
              "url": "http://h:8080/", "credentials": null,
              "envelope": {"name": "own", "success_pointer": "/ok", "success_values": ["true"], "code_pointer": "/c", "message_pointer": "/m",
                "data_pointer": "/d", "session_invalid_codes": ["401"]},
              "tls": {"ca_pem": "PEM", "ca_only": true, "cert_pem": "C", "key_pem": "K", "key_password": "P", "min_version": "1.3",
                "pins": ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], "pin_mode": "pin-only", "ciphers": "a",
                "cipher_suites": "b", "verify": false}}}},
        "news": {"versions": {"0": {"url": "http://news.test"}}}}}
      """#)
    #expect(catalog.services.keys.sorted() == ["news", "stockQuote"])
    let service = try #require(catalog.services["stockQuote"])
    #expect(service.limits == ServiceLimits(maxInFlight: 20, rate: RateLimit(perSecond: 0.5, burst: 10)))
    #expect(service.versions.keys.sorted() == [2, 10])
    let two = try #require(service.versions[2])
    #expect(two.urls == ["https://stock.test/v2", "https://spare.test"] && two.credentials == "stock" && two.tls == .named("internal"))
    #expect(two.headers == ["X-Client": "errand", "X-Two": "a", "X-Two": "b"] && two.envelope == .codeMsgData)
    #expect(
      two.timeouts
        == Timeouts(queue: .zero, connect: .milliseconds(1), firstByte: .milliseconds(2), idle: .milliseconds(3), total: .seconds(5)))
    let ten = try #require(service.versions[10])
    #expect(ten.credentials == nil && ten.envelope?.sessionInvalidCodes == ["401"] && ten.envelope?.name == "own")
    var tls = TlsSettings()
    (tls.caPem, tls.useSystemStore, tls.certificatePem, tls.keyPem, tls.keyPassword) = ("PEM", false, "C", "K", "P")
    (tls.minVersion, tls.pins, tls.pinMode) = (.tls13, ["sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="], .pinOnly)
    (tls.ciphers, tls.cipherSuites, tls.verify) = ("a", "b", false)
    #expect(ten.tls == .settings(tls))
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let document: String
    let error: String
    var testDescription: String { document }
  }

  @Test(arguments: [
    Row(document: "", error: "the catalogue is not JSON: the text is empty (line 1, column 1)"),
    Row(document: "[]", error: "the catalogue must be an object"),
    Row(document: "{}", error: "/services is missing"),
    Row(document: #"{"services": {}, "servces": 1}"#, error: "/servces is not a field here; there are: services"),
    Row(document: #"{"services": []}"#, error: "/services must be an object"),
    Row(document: #"{"services": {"": {}}}"#, error: "/services/ is not a name: 1 to 128 printable characters without a space"),
    Row(document: #"{"services": {"a b": {}}}"#, error: "/services/a b is not a name: 1 to 128 printable characters without a space"),
    Row(document: #"{"services": {"s": {}}}"#, error: "/services/s/versions is missing"),
    Row(document: #"{"services": {"s": {"versions": {}}}}"#, error: "/services/s/versions has no version"),
    Row(document: #"{"services": {"s": {"version": {}}}}"#, error: "/services/s/version is not a field here; there are: limits, versions"),
    Row(
      document: #"{"services": {"s/t~": {"versions": {"v2": {}}}}}"#,
      error: "/services/s~1t~0/versions/v2 is not a version: a whole number from 0"),
    Row(
      document: #"{"services": {"s": {"versions": {"02": {}}}}}"#, error: "/services/s/versions/02 is not a version: a whole number from 0"),
    Row(
      document: #"{"services": {"s": {"versions": {"-1": {}}}}}"#, error: "/services/s/versions/-1 is not a version: a whole number from 0"),
    Row(document: #"{"services": {"s": {"versions": {"1": {}}}}}"#, error: "/services/s/versions/1/url is missing"),
    Row(document: #"{"services": {"s": {"versions": {"1": {"url": []}}}}}"#, error: "/services/s/versions/1/url is missing"),
    Row(
      document: #"{"services": {"s": {"versions": {"1": {"url": 3}}}}}"#,
      error: "/services/s/versions/1/url must be a text or an array of texts"),
    Row(
      document: #"{"services": {"s": {"versions": {"1": {"url": ["http://h", "ftp://h"]}}}}}"#,
      error: "/services/s/versions/1/url ftp://h can't be used: the URL's scheme is neither http nor https"),
    Row(
      document: #"{"services": {"s": {"versions": {"1": {"url": "http://h", "header": {}}}}}}"#,
      error: "/services/s/versions/1/header is not a field here; there are: credentials, envelope, headers, timeouts, tls, url"),
    Row(
      document: #"{"services": {"s": {"limits": {"max_in_flight": 0}, "versions": {"1": {"url": "http://h"}}}}}"#,
      error: "/services/s/limits/max_in_flight must be a whole number from 1 to 1000000"),
    Row(
      document: #"{"services": {"s": {"limits": {"rate": {"burst": 1}}, "versions": {"1": {"url": "http://h"}}}}}"#,
      error: "/services/s/limits/rate/per_second is missing"),
    Row(
      document: #"{"services": {"s": {"limits": {"rate": {"per_second": 0}}, "versions": {"1": {"url": "http://h"}}}}}"#,
      error: "/services/s/limits/rate/per_second must be a number above 0 and at most 1000000"),
    Row(document: #"{"services": {"s": 1, "s": 2}}"#, error: #"the catalogue is not JSON: the key "s" comes twice (line 1, column 23)"#),
  ])
  func aBrokenDocumentIsRefusedWithItsPlace(row: Row) {
    let error = #expect(throws: CatalogError.self) { try read(row.document) }
    #expect(error?.description == row.error)
  }

  @Test(arguments: [
    (#""headers": ["a"]"#, "headers must be an object"), (#""headers": {"a": 1}"#, "headers/a must be a text"),
    (#""headers": {"a b": "x"}"#, "headers/a b can't be sent: the name of header field 1 is not a token"),
    (#""headers": {"a": "x\r\ny"}"#, "headers/a can't be sent: the value of header field a holds CR, LF or NUL"),
    (#""timeouts": {"total": 1}"#, "timeouts/total is not a field here; there are: connect_ms, first_byte_ms, idle_ms, queue_ms, total_ms"),
    (#""timeouts": {"total_ms": -1}"#, "timeouts/total_ms must be a whole number from 0 to 604800000"),
    (#""timeouts": {"total_ms": 1.5}"#, "timeouts/total_ms must be a whole number from 0 to 604800000"),
    (#""envelope": "none""#, "envelope names the envelope none, which is not known; there are: code-msg-data, status-info"),
    (#""envelope": {"name": "x"}"#, "envelope/success_pointer is missing"), (#""envelope": 1"#, "envelope must be an object"),
    (
      #""envelope": {"success_pointer": "/ok"}"#,
      "envelope can't be used: the envelope of the catalogue names no value that means success"
    ),
    (
      #""envelope": {"success_pointer": "ok", "success_values": ["1"]}"#,
      "envelope can't be used: the envelope of the catalogue has a wrong pointer to its success: a JSON pointer does not begin with '/': ok"
    ),
    (#""credentials": {}"#, "credentials must be a text"), (#""tls": 1"#, "tls must be the name of settings, or an object"),
    (
      #""tls": {"ca_file": "/x"}"#,
      "tls/ca_file is not a field here; there are: ca_only, ca_pem, cert_pem, cipher_suites, ciphers, "
        + "key_password, key_pem, min_version, pin_mode, pins, verify"
    ),
    (#""tls": {"ca_only": true}"#, "tls/ca_only needs ca_pem beside it"),
    (#""tls": {"key_pem": "k"}"#, "tls/key_pem needs cert_pem beside it"),
    (#""tls": {"min_version": "1.1"}"#, "tls/min_version must be one of: 1.2, 1.3"),
    (#""tls": {"verify": 1}"#, "tls/verify must be true or false"),
    (#""tls": {"pins": ["x"]}"#, "tls/pins can't be used: the pin x does not begin with sha256//"),
    (#""tls": {"pin_mode": "pin-only"}"#, "tls/pin_mode needs pins beside it"),
  ])
  func aBrokenVersionIsRefusedWithItsPlace(members: String, error: String) {
    let thrown = #expect(throws: CatalogError.self) { try version(members) }
    #expect(thrown?.description.hasPrefix("/services/s/versions/1/" + error) == true, "\(thrown?.description ?? "")")
  }

  @Test func theReaderNamesEnvelopesThatItIsGiven() throws {
    let own = EnvelopeProfile(name: "mine", successPointer: "/ok", successValues: ["1"])
    let text = #"{"services": {"s": {"versions": {"1": {"url": "http://h", "envelope": "mine"}}}}}"#
    #expect(try ServiceCatalog(json: Array(text.utf8), envelopes: [own]).services["s"]?.versions[1]?.envelope === own)
  }

  @Test func aDocumentOfAnySizeAndBytesIsHarmless() throws {
    let many = (0..<6_000).map { #""s\#($0)": {"versions": {"1": {"url": "http://h"}}}"# }.joined(separator: ",")
    let error = #expect(throws: CatalogError.self) { try read(#"{"services": {\#(many)}}"#) }
    #expect(error?.description == "/services holds more than 10000 services and versions")
    let name = String(repeating: "n", count: 100_000)
    let long = #expect(throws: CatalogError.self) { try read(#"{"services": {"\#(name)": {}}}"#) }
    #expect((long?.description.utf8.count ?? .max) < 500)
    for seed in 0..<UInt64(2_000) {
      var generator = SeededGenerator(seed: seed)
      let pieces = [
        "{", "}", "[", "]", ":", ",", "\"", "services", "versions", "url", "\"1\"", "http://h", "headers", "tls", "null", "0", "-1e9",
        "\\u0000",
      ]
      let text = (0..<Int.random(in: 0...30, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
      _ = try? read(text)
    }
  }
}
