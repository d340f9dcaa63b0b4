import HttpWire
import Testing

@testable import ErrandDaemon

struct SubmissionReaderTests {
  /// A small generator with a seed: a failure can be had again.
  struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private static let names = [
    "url", "method", "params", "headers", "delegate", "tag", "key", "meta", "json", "form", "body", "body_base64", "timeouts", "retry",
    "envelope", "expect", "accept_status", "max_body_bytes", "unix_socket", "tls", "proxy", "no_proxy", "resolve", "http_version",
    "priority", "service", "ca_pem", "cert_pem", "pins", "verify", "a.example:80", "statuses", "errors", "max", "connect_ms", "total_ms",
    "", "x/~y",
  ]

  private static let scalars: [JsonValue] = [
    nil, true, false, 0, -1, 7, "", "http://127.0.0.1:1/", "GET", "a b", "\r\n\0", "ä", "QQ==", "/x", "json", "status-info",
  ]

  private func value(_ random: inout Seeded, depth: Int) -> JsonValue {
    switch Int.random(in: 0..<(depth > 2 ? 2 : 4), using: &random) {
    case 0: return Self.scalars.randomElement(using: &random) ?? nil
    case 1:
      let texts = ["1e999", "-0", "9223372036854775808", "-9223372036854775808", "0.5", "1E-400", "404", "604800000"]
      return texts.randomElement(using: &random).flatMap(JsonNumber.init).map(JsonValue.number) ?? nil
    case 2: return .array((0..<Int.random(in: 0..<3, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default: return .object(object(&random, depth: depth + 1))
    }
  }

  private func object(_ random: inout Seeded, depth: Int) -> JsonObject {
    var object = JsonObject()
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      object[Self.names.randomElement(using: &random) ?? ""] = value(&random, depth: depth)
    }
    return object
  }

  @Test func `any JSON is either a submission or a problem that names its field`() {
    var random = Seeded(state: 20_261_130)
    let reader = SubmissionReader(rules: SubmissionRules())
    var accepted = 0
    for _ in 0..<100_000 {
      var object = object(&random, depth: 0)
      if Bool.random(using: &random) { object["url"] = "http://127.0.0.1:1/" }
      do throws(Problem) {
        _ = try reader.read(.object(object))
        accepted += 1
      } catch {
        #expect(error.field != nil && (400..<500).contains(error.status))
      }
    }
    #expect(accepted > 1_000)
  }
}
