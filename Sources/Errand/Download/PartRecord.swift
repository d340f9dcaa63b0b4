internal import HttpWire

/// What is known of a file of which a part was kept.
struct PartRecord: Sendable, Hashable {
  /// As it was asked for, before any redirect.
  let url: String
  /// A strong ETag or a Last-Modified, as If-Range takes it (RFC 9110 section 13.1.5).
  let validator: String
  /// Bytes of the whole; nil if the server did not say.
  let total: Int64?

  init(url: String, validator: String, total: Int64?) {
    self.url = url
    self.validator = validator
    self.total = total
  }

  /// nil for anything but what ``json`` gives.
  init?(json: [UInt8]) {
    guard let value = try? JsonValue.parse(json), let url = value["url"]?.string, let validator = value["validator"]?.string else {
      return nil
    }
    self.init(url: url, validator: validator, total: value["total"]?.int)
  }

  var json: [UInt8] {
    var writer = JsonWriter()
    writer.beginObject()
    writer.member("url", url)
    writer.member("validator", validator)
    if let total { writer.member("total", total) }
    writer.endObject()
    writer.newline()
    return writer.takeBytes()
  }

  /// What a response can be recognised by later; nil if there is nothing that is strong enough. `now`: seconds since 1970.
  static func validator(of headers: HttpHeaders, now: Int64) -> String? {
    if let tag = headers["ETag"] {
      // A weak one may stand for different bytes.
      guard tag.utf8.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else { return nil }
      return tag
    }
    // The date is strong only if it was past already as the response was made (section 8.8.2.2).
    guard let modified = headers["Last-Modified"], let changed = HttpDate.seconds(modified, now: now),
      let date = headers["Date"].flatMap({ HttpDate.seconds($0, now: now) }), changed < date
    else { return nil }
    return modified
  }
}
