extension RequestWriter {
  /// A request's fields as HTTP/2 sends them (RFC 9113 8.2 and 8.3): the pseudo fields first, then `headers` in order with their names in
  /// lower case and without blanks around their values.
  ///
  /// `authority` is that of the URL; a Host field in `headers` takes its place. Fields that belong to a connection are left out (8.2.2):
  /// Connection and what it names, Keep-Alive, Proxy-Connection, Transfer-Encoding, Upgrade, HTTP2-Settings, and TE unless it is
  /// `trailers`. Content-Length is written as `body` says, as in HTTP/1.1.
  ///
  /// Throws `invalid` for what could not be sent in HTTP/1.1 either.
  public static func http2Fields(
    method: HttpMethod, scheme: HttpUrl.Scheme, authority: String, path: String, headers: HttpHeaders, body: BodyFraming
  ) throws(WireError) -> HttpHeaders {
    guard method != .connect else { throw .unsupported("the method CONNECT is not supported", status: 501) }
    guard path.withBytes({ !$0.isEmpty && $0.allSatisfy { $0 > 0x20 && $0 < 0x7F } }) else {
      throw .invalid("the request target is empty or holds a space, a control character or a byte outside ASCII")
    }
    try headers.validate()
    try headers.checkFraming(body)
    if case .length(let length) = body, length < 0 { throw .invalid("the length of the body is negative") }
    let hosts = headers.values("Host")
    guard hosts.count <= 1 else { throw .invalid("there is more than one header field Host") }
    let host = hosts.first ?? authority
    guard host.withBytes(FramingFields.isHost) else { throw .invalid("the host is not valid") }

    var fields = HttpHeaders()
    fields.reserveCapacity(fields: headers.count + 5, bytes: headers.block.count + host.utf8.count + path.utf8.count + 64)
    fields.append(":method", method.rawValue)
    fields.append(":scheme", scheme.rawValue)
    if !host.isEmpty { fields.append(":authority", host) }
    fields.append(":path", path)
    let named = headers.contains("Connection") ? headers.values("Connection") : []
    headers.withFieldBytes { bytes in
      for index in 0..<bytes.count {
        let (name, value) = bytes[index]
        let trimmed = Ascii.trimmed(value)
        guard !belongsToConnection(name, trimmed), !isNamed(name, in: named) else { continue }
        fields.append(lowerCasing: name, value: trimmed)
      }
    }
    switch body {
    case .none where method == .post || method == .put || method == .patch: fields.append("content-length", "0")
    case .length(let length): fields.append("content-length", String(length))
    case .none, .chunked: break
    }
    return fields
  }

  private static func belongsToConnection(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 2: Ascii.equals(name, "te") && !Ascii.equals(value, "trailers")
    case 4: Ascii.equals(name, "host")
    case 7: Ascii.equals(name, "upgrade")
    case 10: Ascii.equals(name, "connection") || Ascii.equals(name, "keep-alive")
    case 14: Ascii.equals(name, "content-length") || Ascii.equals(name, "http2-settings")
    case 16: Ascii.equals(name, "proxy-connection")
    case 17: Ascii.equals(name, "transfer-encoding")
    default: false
    }
  }

  private static func isNamed(_ name: UnsafeRawBufferPointer, in lists: [String]) -> Bool {
    // TE is named by rule, and is the one such field that HTTP/2 knows.
    if lists.isEmpty || Ascii.equals(name, "te") { return false }
    var found = false
    for list in lists {
      list.withBytes { bytes in
        Ascii.forEachElement(bytes) { element in
          found = found || Ascii.equalIgnoringCase(element, name)
          return !found
        }
      }
    }
    return found
  }
}
