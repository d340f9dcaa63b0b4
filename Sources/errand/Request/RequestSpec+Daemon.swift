internal import Errand
internal import HttpWire

extension RequestSpec {
  /// The request as the daemon's API takes it.
  func submission() throws(Failure) -> JsonObject {
    var json = JsonObject()
    json["url"] = .string(url)
    if let method { json["method"] = .string(method.rawValue) }
    if !headers.isEmpty { json["headers"] = .object(headerObject) }
    if let body {
      if let text = String(validating: body, as: UTF8.self) {
        json["body"] = .string(text)
      } else {
        json["body_base64"] = .string(Base64.encode(body))
      }
    }
    if !parts.isEmpty {
      var read: [JsonValue] = []
      for part in parts { read.append(try part.json()) }
      json["multipart"] = .array(read)
    }
    if let auth = who.json { json["auth"] = auth }
    if !decodes { json["decode"] = .bool(false) }
    json["timeouts"] = .object(timeouts)
    transport.write(to: &json)
    json["redirects"] = .string(follows ? "follow" : "manual")
    if follows, let maxRedirects { json["max_redirects"] = .number(JsonNumber(maxRedirects)) }
    if expectsJson { json["expect"] = "json" }
    if let envelope { json["envelope"] = .string(envelope) }
    if retries > 0 {
      let statuses = RequestSpec.retriedStatuses.map { JsonValue.number(JsonNumber($0)) }
      json["retry"] = ["max": .number(JsonNumber(retries)), "statuses": .array(statuses)]
    }
    return json
  }

  /// A name that comes more than once has an array of its values.
  private var headerObject: JsonObject {
    var object = JsonObject()
    for (name, _) in headers where !object.contains(where: { $0.key.lowercased() == name.lowercased() }) {
      let values = headers.values(name)
      object[name] = values.count == 1 ? .string(values[0]) : .array(values.map(JsonValue.string))
    }
    return object
  }

  private var timeouts: JsonObject {
    var object = JsonObject()
    func set(_ name: String, _ duration: Duration?) {
      guard let duration else { return }
      let parts = duration.components
      object[name] = .number(JsonNumber(parts.seconds * 1_000 + parts.attoseconds / 1_000_000_000_000_000))
    }
    set("connect_ms", connectTimeout ?? (maxTime == .zero ? .zero : nil))
    set("total_ms", maxTime ?? .zero)
    if maxTime != nil {
      set("first_byte_ms", .zero)
      set("idle_ms", .zero)
    }
    return object
  }
}
