internal import Errand
internal import HttpWire

/// A response within an event: status, header fields, and the body as `data`, `body`, `body_base64` or, when it is long, by a link.
extension EventWriter {
  func append(_ response: HttpResponse, of handle: RequestHandle, _ bytes: inout [UInt8]) {
    bytes.append(",\"status\":")
    bytes.append(decimal: response.status)
    bytes.append(EventWriter.version(response.version))
    bytes.append(",\"headers\":[")
    var isFirst = true
    for (name, value) in response.headers {
      bytes.append(isFirst ? "[" : ",[")
      isFirst = false
      let start = bytes.count
      Json.appendQuoted(name, to: &bytes)
      EventWriter.lowercase(&bytes, from: start)
      bytes.append(",")
      Json.appendQuoted(value, to: &bytes)
      bytes.append("]")
    }
    bytes.append("]")
    appendBody(response, of: handle, &bytes)
    EventWriter.append(response.redirects, &bytes)
    if response.lengthUnknown { bytes.append(",\"length_unknown\":true") }
  }

  private static func append(_ redirects: [RedirectHop], _ bytes: inout [UInt8]) {
    guard !redirects.isEmpty else { return }
    bytes.append(",\"redirects\":[")
    for (index, hop) in redirects.enumerated() {
      bytes.append(index == 0 ? "{\"status\":" : ",{\"status\":")
      bytes.append(decimal: hop.status)
      bytes.append(",\"method\":")
      Json.appendQuoted(hop.nextMethod.rawValue, to: &bytes)
      bytes.append(",\"url\":")
      Json.appendQuoted(hop.nextUrl, to: &bytes)
      bytes.append("}")
    }
    bytes.append("]")
  }

  private static func version(_ version: HttpVersion) -> StaticString {
    switch version {
    case .http10: ",\"http_version\":\"1.0\""
    case .http11: ",\"http_version\":\"1.1\""
    case .http2: ",\"http_version\":\"2\""
    }
  }

  private func appendBody(_ response: HttpResponse, of handle: RequestHandle, _ bytes: inout [UInt8]) {
    if let file = response.file {
      bytes.append(",\"file\":{\"path\":")
      Json.appendQuoted(file.path, to: &bytes)
      bytes.append(",\"bytes\":")
      bytes.append(decimal: file.byteCount)
      bytes.append("}")
      return
    }
    let body = response.body
    guard body.count <= inlineBodyBytes else {
      bytes.append(",\"body_bytes\":")
      bytes.append(decimal: body.count)
      bytes.append(",\"body_url\":\"/v1/requests/")
      bytes.append(decimal: handle.id)
      bytes.append("/body\"")
      return
    }
    if let range = response.dataRange ?? EventWriter.wholeJson(response) {
      bytes.append(",\"data\":")
      EventWriter.appendLine(body[range], to: &bytes)
    } else if body.isEmpty {
      return
    } else if let text = EventWriter.text(body) {
      bytes.append(",\"body\":")
      Json.appendQuoted(text, to: &bytes)
    } else {
      bytes.append(",\"body_base64\":\"")
      Base64.append(body, to: &bytes)
      bytes.append("\"")
    }
  }

  /// The body where it says that it is JSON, and is.
  private static func wholeJson(_ response: HttpResponse) -> Range<Int>? {
    guard !response.body.isEmpty, let type = response.headers["content-type"], isJson(type) else { return nil }
    return (try? Json.validate(response.body)) == nil ? nil : 0..<response.body.count
  }

  static func isJson(_ contentType: String) -> Bool {
    // Nearly all are written like this.
    if contentType == "application/json" || contentType.utf8.starts(with: "application/json;".utf8) { return true }
    return MediaType(contentType)?.isJson ?? false
  }

  /// JSON on one line, as an event stream needs it: inside of strings there are no line ends, and outside they are as good as spaces.
  static func appendLine(_ json: ArraySlice<UInt8>, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: json)
    for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D { bytes[index] = 0x20 }
  }

  private static func text(_ body: [UInt8]) -> String? {
    String(validating: body, as: UTF8.self)
  }

  private static func lowercase(_ bytes: inout [UInt8], from start: Int) {
    for index in start..<bytes.count where bytes[index] >= 0x41 && bytes[index] <= 0x5A { bytes[index] |= 0x20 }
  }
}
