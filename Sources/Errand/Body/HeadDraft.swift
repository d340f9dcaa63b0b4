internal import HttpWire

/// A request's head, but for what depends on its body.
struct HeadDraft: Sendable {
  let method: HttpMethod
  let target: String
  let host: String
  var headers: HttpHeaders
  let expectsContinue: Bool
  /// Its fields can be sent as they are, and none is about the body.
  let isChecked: Bool

  /// The head's bytes, with room for `room` more. Method, target and host are checked before: what is wrong are the headers.
  func head(_ body: BodyFraming, room: Int = 0) throws(HttpClientError) -> [UInt8] {
    if isChecked, body == .none {
      do throws(WireError) {
        return try RequestWriter.head(method: method, target: target, host: host, checked: headers)
      } catch {
        throw .invalid("headers", error.message)
      }
    }
    // Without a body there is nothing to expect (RFC 9110 section 10.1.1).
    if expectsContinue, body == .none || body == .length(0) {
      var draft = HeadDraft(
        method: method, target: target, host: host, headers: headers, expectsContinue: false, isChecked: isChecked)
      draft.headers.remove("Expect")
      return try draft.head(body, room: room)
    }
    var wire: [UInt8] = []
    let hasBody = body != .none
    wire.reserveCapacity(RequestWriter.room(method: method, target: target, host: host, headers: headers, hasBody: hasBody) + room)
    do throws(WireError) {
      try RequestWriter.append(method: method, target: target, host: host, headers: headers, body: body, to: &wire)
    } catch {
      throw .invalid("headers", error.message)
    }
    return wire
  }

  /// The same for a body of that type, unless the headers have one.
  func head(_ body: BodyFraming, contentType: String?) throws(HttpClientError) -> [UInt8] {
    guard let contentType, !headers.contains("Content-Type") else { return try head(body) }
    var draft = HeadDraft(
      method: method, target: target, host: host, headers: headers, expectsContinue: expectsContinue, isChecked: false)
    draft.headers.append("Content-Type", contentType)
    return try draft.head(body)
  }

  /// Throws what is wrong whatever the body's length is.
  func check() throws(HttpClientError) {
    var draft = self
    draft.headers.remove("Content-Length")
    _ = try draft.head(.length(0))
  }
}
