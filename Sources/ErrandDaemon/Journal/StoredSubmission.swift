internal import HttpWire

/// A request as it came to the API: read again when it has to be run again, so that today's rules hold for it.
struct StoredSubmission: Sendable, Equatable {
  /// The JSON of the request.
  let json: [UInt8]
  /// Fields of the call itself that go out with the request: the trace that the caller is part of.
  var headers: [Field] = []

  struct Field: Sendable, Equatable {
    let name: String
    let value: String
  }

  init(json: [UInt8], headers: [Field] = []) {
    self.json = json
    self.headers = headers
  }

  /// The form on disk: a line with a JSON array of the names and values of fields, and after it the request as it came.
  var bytes: [UInt8] {
    var writer = JsonWriter(capacity: json.count + 64)
    writer.beginArray()
    for field in headers {
      writer.string(field.name)
      writer.string(field.value)
    }
    writer.endArray()
    return writer.bytes + [0x0A] + json
  }

  /// nil for other bytes.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: 0x0A), case .array(let texts)? = try? JsonValue.parse(Array(bytes[..<end])), texts.count % 2 == 0
    else {
      return nil
    }
    for index in stride(from: 0, to: texts.count, by: 2) {
      guard let name = texts[index].string, let value = texts[index + 1].string else { return nil }
      headers.append(Field(name: name, value: value))
    }
    json = Array(bytes[(end + 1)...])
  }
}
