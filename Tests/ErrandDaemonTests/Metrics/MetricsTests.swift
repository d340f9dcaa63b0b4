import Errand
import EventLoop
import Foundation
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

struct MetricsTests {
  /// Prints what the parser of prometheus_client makes of a text, and fails where that is not sound.
  private static let script = """
    import sys
    from prometheus_client.parser import text_string_to_metric_families
    names = set()
    for family in text_string_to_metric_families(open(sys.argv[1]).read()):
        assert family.name not in names, family.name
        names.add(family.name)
        assert family.type in ("counter", "gauge", "histogram") and family.documentation, family
        seen = set()
        last = {}
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            assert key not in seen, key
            seen.add(key)
            if family.type == "counter":
                assert sample.name.endswith("_total") and sample.value >= 0, sample
            if sample.name.endswith("_bucket"):
                rest = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
                assert sample.value >= last.get(rest, 0), sample
                last[rest] = sample.value
            if sample.name.endswith("_count"):
                assert sample.value == last[tuple(sorted(sample.labels.items()))], sample
    print(" ".join(sorted(names)))
    """

  private func value(_ text: String, _ sample: String) -> Double? {
    text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.flatMap { Double($0.split(separator: " ").last ?? "") }
  }

  @Test func `the parser of Prometheus reads it, and it has every family of the table`() async throws {
    try await TestDaemon.with { test in
      for path in ["/json", "/missing", "/text"] { _ = try await test.outcome(path: path) }
      let held = try await test.submit(path: "/held")
      _ = try await test.call(.delete, "/v1/requests/\(held)")
      let answer = try await test.get("/metrics")
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
      let directory = try TemporaryDirectory()
      try directory.write("metrics", Array(answer.text.utf8))
      let parsed = try await Command.run("/usr/bin/python3", "-c", MetricsTests.script, directory.file("metrics"))
      #expect(parsed.status == 0, "\(parsed.text)")
      let names = Set(parsed.text.split(whereSeparator: \.isWhitespace).map(String.init))
      let wanted = Set(Metric.allCases.map { $0.kind == .counter ? String($0.rawValue.dropLast("_total".count)) : $0.rawValue })
      #expect(names == wanted)
      let text = answer.text
      #expect(value(text, "errand_requests_ended_total{outcome=\"finished\"}") == 2)
      #expect(value(text, "errand_requests_ended_total{outcome=\"failed\"}") == 1)
      #expect(value(text, "errand_requests_ended_total{outcome=\"cancelled\"}") == 1)
      #expect(value(text, "errand_request_failures_total{code=\"http_status\"}") == 1)
      #expect(value(text, "errand_requests_ended_by_reach_total{reach=\"loopback\"}") == 4)
      #expect(value(text, "errand_request_phase_seconds_count{phase=\"total\"}") == 3)
      #expect(value(text, "process_open_fds") ?? 0 > 5 && value(text, "process_resident_memory_bytes") ?? 0 > 1_000_000)
      #expect(value(text, "errand_journal_up") == 1 && value(text, "errand_journal_commits_total") ?? 0 >= 1)
    }
  }

  @Test func `the page is what the code says`() throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
    // Made anew by: errandd --describe-metrics > docs/metrics.md
    #expect(try String(contentsOf: root.appending(path: "docs/metrics.md"), encoding: .utf8) == Metric.page)
  }

  @Test func `owners and codes are bounded`() {
    var metrics = RequestMetrics()
    let event = StoredEvent(frame: [], json: 0..<0)
    for number in 0..<1_000 {
      let error = HttpClientError(HttpClientError.Code(rawValue: "code_\(number)"), message: "")
      let result = RequestResult(.failed(error), of: RequestHandle(id: 1), nil, seq: 1, event: event, at: .now())
      metrics.ended(result, of: Owner(uid: UInt32(number)))
    }
    #expect(metrics.byOwner.count == RequestMetrics.ownerLimit && metrics.otherOwners.failed == 900)
    #expect(metrics.failures.count == 65 && metrics.failures["other"] == 936)
    #expect(metrics.ends.failed == 1_000)
  }

  @Test func `a bucket holds what is up to its bound`() {
    var histogram = Histogram()
    for value: Int64 in [0, 500, 501, 60_000_000, 60_000_001, -5] { histogram.add(value) }
    #expect(histogram.counts.first == 3 && histogram.counts[1] == 1 && histogram.counts.last == 1)
    #expect(histogram.counts.reduce(0, +) == 6 && histogram.microseconds == 120_001_002)
  }

  @Test(arguments: [
    ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.9.9", true), ("169.254.1.1", true), ("8.8.8.8", false),
    ("fd00::1", true),
    ("fe80::1", true), ("2001:db8::1", false), ("::ffff:10.0.0.1", true), ("::ffff:8.8.8.8", false), ("127.0.0.1", false),
  ])
  func `addresses of private networks are known`(text: String, isPrivate: Bool) {
    #expect(SocketAddress.ip(text, port: 1)?.isPrivate == isPrivate)
  }
}
