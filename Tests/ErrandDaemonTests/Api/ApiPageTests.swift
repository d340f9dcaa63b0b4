import Errand
import Foundation
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// docs/api.md says what the code does.
struct ApiPageTests {
  // From Tests/ErrandDaemonTests/Api/ApiPageTests.swift up to the package.
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  private var page: String { get throws { try text("docs/api.md") } }

  /// The blocks of a language, as they stand there.
  private func blocks(_ language: String) throws -> [String] {
    try page.components(separatedBy: "```\(language)\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
  }

  private func examples() throws -> [JsonValue] { try blocks("json").map { try JsonValue.parse(Array($0.utf8)) } }

  /// What a pattern's one group matches in all sources of a folder.
  private func found(_ pattern: String, in folder: String) throws -> Set<String> {
    let regex = try Regex(pattern, as: (Substring, Substring).self)
    var found: Set<String> = []
    let files = FileManager.default.enumerator(at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: regex) { found.insert(String(match.output.1)) }
    }
    return found
  }

  @Test func `each field of a request, a scope and a list is there`() throws {
    let page = try page
    let fields = SubmissionReader.fields + SubmissionReader.timeoutFields + ScopeReader.fields + TlsReader.fields + RetryReader.fields
    for field in fields + ["state", "limit", "cursor"] { #expect(page.contains("`\(field)`"), "\(field)") }
  }

  @Test func `each error code, phase and kind of problem is there`() throws {
    let page = try page
    let codes = try found(#"= Code\(rawValue: "(\w+)"\)"#, in: "Sources/Errand/Response")
    #expect(codes.count >= 15)
    let phases = try found(#"= Phase\(rawValue: "(\w+)"\)"#, in: "Sources/Errand/Request").subtracting(["back_off"])
    #expect(phases.count == 10)
    let kinds = try found(#"kind[:=]* =? ?"([a-z_]+)""#, in: "Sources/ErrandDaemon/Api").subtracting(["http_"])
    #expect(kinds.isSuperset(of: ["unknown_field", "unauthorized", "method_not_allowed", "no_body", "not_found"]))
    for word in codes.union(phases).union(kinds) { #expect(page.contains("`\(word)`"), "\(word)") }
  }

  @Test func `each call is there`() throws {
    let page = try page
    let patterns = try found(#"let pattern: PathPattern = "([^"]+)""#, in: "Sources/ErrandDaemon/Api/Calls")
    #expect(patterns.count >= 12)
    for pattern in patterns { #expect(page.contains(" \(pattern)`"), "\(pattern)") }
  }

  @Test func `the limits it names are settings with these defaults`() throws {
    let page = try page
    let keys = LimitSettings.CodingKeys.allCases.map(\.rawValue)
    for key in keys where !["api_connections"].contains(key) { #expect(page.contains(key), "\(key)") }
    let defaults = DaemonConfiguration()
    #expect(defaults.limits == LimitSettings())
    #expect(defaults.limits.submitBytes == 16 << 20)
    #expect(page.contains("| `limits.submit_bytes` | 16 MiB |"))
    let timeouts = [
      defaults.client.queueTimeoutMs, defaults.client.connectTimeoutMs, defaults.client.firstByteTimeoutMs, defaults.client.idleTimeoutMs,
    ]
    for (name, value) in zip(SubmissionReader.timeoutFields, timeouts) { #expect(page.contains("| `\(name)` | \(value) |"), "\(name)") }
    #expect(defaults.client.totalTimeoutMs == nil && page.contains("| `total_ms` | 60000; with `download` none |"))
  }

  @Test func `its examples of requests and scopes are taken`() throws {
    let reader = SubmissionReader(rules: SubmissionRules())
    let examples = try examples()
    let request = try #require(examples.first { $0["timeouts"] != nil })
    let submission = try reader.read(request)
    #expect(submission.delegate == "agent-a")
    #expect(submission.request.retry.max == 2)
    let scope = try #require(examples.first { $0["key_prefix"] != nil })
    #expect(try ScopeReader.read(scope, owner: Owner(uid: 5)).tag == 7)
    for line in try blocks("ndjson").joined(separator: "\n").split(separator: "\n") { _ = try JsonValue.parse(Array(line.utf8)) }
    // The forms within the table.
    for (field, form) in [
      ("params", #"{"a": 1, "b": ["x", true]}"#), ("params", #"[["a", "1"], ["a", "2"]]"#),
      ("headers", #"{"Accept": "text/csv", "X-Two": ["1", "2"]}"#), ("headers", #"[["accept", "text/csv"]]"#),
    ] {
      #expect(try page.contains("`\(form)`"), "\(form)")
      _ = try reader.read(try JsonValue.parse(Array("{\"url\": \"http://h/\", \"\(field)\": \(form)}".utf8)))
    }
  }

  private func members(_ value: JsonValue?) -> Set<String> {
    guard case .object(let object)? = value else { return [] }
    return Set(object.members.map(\.key))
  }

  @Test func `its examples of answers have the members of real ones`() async throws {
    let examples = try examples()
    func example(_ member: String) throws -> JsonValue { try #require(examples.first { $0[member] != nil }) }
    try await TestDaemon.with { test in
      let more = "\"delegate\": \"agent-a\", \"tag\": 7, \"key\": \"list\""
      let finished = try await test.outcome(path: "/json", more)
      #expect(members(finished) == members(try example("seq")))
      #expect(members(finished["timings"]) == members(try example("seq")["timings"]))
      #expect(members(try await test.outcome(path: "/busy", more)["error"]) == members(try example("phase")))
      let handle = try await test.submit(path: "/held", more)
      let list = try await test.get("/v1/requests?state=running").json
      #expect(members(list) == members(try example("requests")))
      #expect(members(list["requests"]?[0]) == members(try example("requests")["requests"]?[0]))
      let receipt = try await test.call(.delete, "/v1/requests/\(handle)").json
      #expect(members(receipt) == members(try example("receipts")["receipts"]?[0]))
      let polled = try await test.get("/v1/delegates/agent-a/events").json
      #expect(members(polled) == members(try #require(examples.first { $0["events"] != nil })))
      #expect(members(try await test.get("/v1/delegates/agent-a").json) == members(try example("followers")))
      let problem = try await test.submit("{\"url\": \"http://h/\", \"timeouts\": {\"read_ms\": 1}}").json
      #expect(problem == (try example("detail")))
    }
  }
}
