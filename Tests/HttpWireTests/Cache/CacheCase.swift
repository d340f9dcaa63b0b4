import Glibc

@testable import HttpWire

/// The moment at which the responses of these tests came: some second in 2026.
let cameAt: Int64 = 1_780_000_000

/// Header fields as text: `Name: value | Name: value`, in which `{60}` stands for the HTTP-date 60 seconds after ``cameAt``.
func fields(_ text: String) -> HttpHeaders {
  var headers = HttpHeaders()
  for line in text.split(separator: "|") where line.contains(":") {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    headers.append(trimmed(parts[0]), withDates(trimmed(parts[1])))
  }
  return headers
}

private func trimmed(_ text: Substring) -> String {
  String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
}

private func withDates(_ value: String) -> String {
  guard value.hasPrefix("{"), value.hasSuffix("}"), let offset = Int64(value.dropFirst().dropLast()) else { return value }
  return httpDate(cameAt + offset)
}

func httpDate(_ seconds: Int64) -> String {
  var clock = time_t(seconds)
  var parts = tm()
  gmtime_r(&clock, &parts)
  var buffer = [CChar](repeating: 0, count: 64)
  let length = strftime(&buffer, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
  return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// A request: `GET`, or a method, then its fields.
func request(_ text: String) throws -> CacheRequest {
  let line = text.prefix { $0 != "|" }
  guard !line.contains(":") else { return CacheRequest(headers: fields(text)) }
  let words = line.split(separator: " ")
  return CacheRequest(
    method: try HttpMethod(words.first.map(String.init) ?? "GET"), headers: fields(String(text.dropFirst(line.count))),
    hasBody: words.contains("+body"))
}

/// What is stored for `request`: an optional status, then the response's fields.
func stored(_ text: String, for request: CacheRequest = CacheRequest(), requested: Int64 = cameAt, came: Int64 = cameAt) -> CacheEntry? {
  let line = text.prefix { $0 != "|" }
  let status = Int(trimmed(line))
  return CacheEntry(
    status: status ?? 200, headers: fields(status == nil ? text : String(text.dropFirst(line.count))), body: Array("stored".utf8),
    requestTime: requested, responseTime: came, to: request)
}

extension HttpHeaders {
  /// Such as `Name: value | Name: value`.
  var text: String { map { "\($0.name): \($0.value)" }.joined(separator: " | ") }
}

extension CacheDecision {
  /// In a few words, for tables.
  var words: String {
    switch self {
    case .useFresh(let age): "fresh \(age)"
    case .useStale(let age): "stale \(age)"
    case .useStaleAndRevalidate(let age, let conditions): "stale \(age), ask \(conditions.shortNames)"
    case .revalidate(let conditions, let reason): "ask \(conditions.shortNames), \(reason.rawValue)"
    case .fetch(let reason): "fetch, \(reason.rawValue)"
    case .gatewayTimeout: "504"
    }
  }
}

extension CacheAnswer {
  var words: String {
    switch self {
    case .notModified(let entry, let keeps): "\(keeps ? "keep" : "forget"): \(entry.headers.text)"
    case .fetchAgain: "fetch again"
    case .standIn(let age): "stand in \(age)"
    case .pass(let stores, let drops): "pass\(stores ? ", store" : "")\(drops ? ", drop" : "")"
    }
  }
}

extension HttpHeaders {
  fileprivate var shortNames: String {
    map { $0.name == "If-None-Match" ? "inm" : $0.name == "If-Modified-Since" ? "ims" : $0.name }.joined(separator: " ")
  }
}
