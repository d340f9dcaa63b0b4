public import HttpWire

/// Entries for tests of a store, each of which shows by itself whether it is right.
public enum CacheContent {
  public static func key(_ number: Int) -> CacheKey {
    guard let url = try? HttpUrl("http://a.example/\(number)") else { preconditionFailure("no URL") }
    return CacheKey(url)
  }

  /// The fields of the requests that the entries of a number answer; those of odd numbers vary.
  public static func request(_ number: Int) -> HttpHeaders { number % 2 == 0 ? [:] : ["X-Number": "\(number)"] }

  /// An entry with a body of `count` bytes that no other number and version have.
  public static func entry(_ number: Int, version: Int, count: Int) -> CacheEntry {
    var headers: HttpHeaders = ["Cache-Control": "max-age=60", "X-Number": "\(number)", "X-Version": "\(version)", "X-Count": "\(count)"]
    if number % 2 == 1 { headers.append("Vary", "X-Number") }
    let entry = CacheEntry(
      status: 200, headers: headers, body: body(number, version, count), requestTime: Int64(version), responseTime: Int64(version),
      to: CacheRequest(headers: request(number)))
    guard let entry else { preconditionFailure("no entry") }
    return entry
  }

  /// The version that it is of, if it is wholly right.
  public static func version(of entry: CacheEntry, _ number: Int) -> Int? {
    guard let version = entry.headers["X-Version"].flatMap(Int.init), let count = entry.headers["X-Count"].flatMap(Int.init),
      entry.headers["X-Number"] == "\(number)", entry.responseTime == version, entry.status == 200,
      entry.body == body(number, version, count)
    else { return nil }
    return version
  }

  private static func body(_ number: Int, _ version: Int, _ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: number &* 1_000_003 &+ version))
    var body: [UInt8] = []
    body.reserveCapacity(2 * count + 8)
    while body.count < min(count, 1_024) { withUnsafeBytes(of: generator.next()) { body.append(contentsOf: $0) } }
    while body.count < count { body.append(contentsOf: body) }
    body.removeLast(body.count - count)
    return body
  }
}
