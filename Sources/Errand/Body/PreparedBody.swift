internal import HttpWire

/// A request's body as it is going to be sent.
struct PreparedBody {
  enum Content {
    case absent
    case bytes([UInt8])
    case stream(HttpBodyStream)
    /// Its length and type are known once its files are open.
    case unopened(UnopenedBody.Content)
  }

  let content: Content
  /// Where the caller's headers have none.
  var contentType: String?

  private init(_ content: Content, _ contentType: String? = nil) {
    self.content = content
    self.contentType = contentType
  }

  static let none = PreparedBody(.absent)

  init(_ body: HttpBody?) throws(HttpClientError) {
    switch body {
    case nil: self.init(.absent)
    case .bytes(let bytes, let type)?: self.init(.bytes(bytes), type)
    case .form(let params)?: self.init(form: params)
    case .json(let bytes)?: self.init(.bytes(bytes), "application/json")
    case .file(let path, let type)?: self.init(.unopened(.file(path: path, contentType: type)))
    case .stream(let stream)?:
      guard stream.length ?? 0 >= 0 else { throw .body("the length of the body's stream is negative") }
      guard stream.isReplayable || !stream.producer.wasBegun else { throw .cannotReplayBody(StreamSource.wasSent) }
      self.init(.stream(stream), stream.contentType)
    case .multipart(let parts)? where parts.contains(where: \.needsDisk): self.init(.unopened(.form(parts)))
    case .multipart(let parts)?:
      let form = try OpenBody(parts)
      self.init(.bytes(form.bytes), form.contentType)
    }
  }

  init(form params: [HttpParam]) {
    self.init(.bytes(FormEncoding.encodedBytes(params.map { ($0.name, $0.value) })), "application/x-www-form-urlencoded")
  }
}

extension OpenBody {
  /// What it has in memory.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: length))
    for case .bytes(let more) in segments { bytes += more }
    return bytes
  }
}
