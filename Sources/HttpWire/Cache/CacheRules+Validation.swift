extension CacheRules {
  /// The conditions that validate a stored response: If-None-Match with its ETag, then If-Modified-Since with its Last-Modified (RFC 9111
  /// 4.3.1). Empty where it has neither.
  public static func conditions(_ entry: CacheEntry) -> HttpHeaders {
    var conditions = HttpHeaders()
    conditions.append("If-None-Match", from: "etag", of: entry.headers)
    conditions.append("If-Modified-Since", from: "last-modified", of: entry.headers)
    return conditions
  }

  /// A stored response brought up to date by a 304 (RFC 9111 3.2, 4.3.4): its fields replace those of their names, but for what describes
  /// the stored body. nil where the 304 has another ETag: it is not about this response.
  static func freshened(
    _ entry: CacheEntry, by headers: HttpHeaders, for request: CacheRequest, requestTime: Int64, responseTime: Int64
  ) -> CacheEntry? {
    guard agree(entry.headers, headers, on: "etag", as: opaque) else { return nil }
    let update = storable(headers).without(ofTheBody)
    // An old Age or Date beside the new times would make the response older than it is.
    var merged = entry.headers.without(update.lowerCaseNames.union(["age", "date"]))
    merged.append(contentsOf: update)
    var fresh = entry
    fresh.headers = merged
    fresh.requestTime = requestTime
    fresh.responseTime = responseTime
    if let variant = CacheVariant(response: merged, to: request.headers) { fresh.variant = variant }
    return fresh
  }

  /// Whether a response to HEAD tells that the stored one is outdated (RFC 9111 4.3.5).
  static func isOutdated(_ entry: CacheEntry, byHead headers: HttpHeaders) -> Bool {
    !agree(entry.headers, headers, on: "etag", as: opaque) || !agree(entry.headers, headers, on: "last-modified") { $0 }
  }

  /// Fields of a 304 that do not replace those of the stored response.
  private static let ofTheBody: Set<String> = ["content-length", "content-encoding", "content-type", "content-range"]

  /// Whether the first fields of that name are equal, or one side has none.
  private static func agree(
    _ stored: HttpHeaders, _ received: HttpHeaders, on name: StaticString,
    as read: (UnsafeRawBufferPointer) -> UnsafeRawBufferPointer
  ) -> Bool {
    var result = true
    stored.forEachValue(of: name) { old in
      received.forEachValue(of: name) { new in
        result = old.isEmpty || new.isEmpty || read(old).elementsEqual(read(new))
        return false
      }
      return false
    }
    return result
  }

  /// An ETag without its mark of weakness: what is compared weakly (RFC 9110 8.8.3.2).
  private static func opaque(_ tag: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    tag.starts(with: [0x57, 0x2F]) ? tag[piece: 2..<tag.count] : tag
  }
}
