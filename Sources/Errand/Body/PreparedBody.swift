internal import HttpWire

/// A request's body as it is going to be sent.
struct PreparedBody {
  enum Content {
    case none
    case bytes([UInt8])
    case stream(HttpBodyStream)
    /// Its length and type are known once its files are open.
    case unopened(UnopenedBody.Content)
  }

  let content: Content
  /// Where the caller's headers have none.
  var contentType: String?

  init(_ body: HttpBody?) throws(HttpClientError) {
    switch body {
    case nil: content = .none
    case .bytes(let bytes, let type)?: (content, contentType) = (.bytes(bytes), type)
    case .form(let params)?: self.init(form: params)
    case .json(let bytes)?: (content, contentType) = (.bytes(bytes), "application/json")
    case .file(let path, let type)?: content = .unopened(.file(path: path, contentType: type))
    case .stream(let stream)?:
      guard stream.length ?? 0 >= 0 else { throw .body("the length of the body's stream is negative") }
      guard stream.isReplayable || !stream.producer.wasBegun else { throw .cannotReplayBody(StreamSource.wasSent) }
      (content, contentType) = (.stream(stream), stream.contentType)
    case .multipart(let parts)?:
      if parts.contains(where: \.needsDisk) {
        content = .unopened(.form(parts))
      } else {
        let form = try OpenBody(parts)
        (content, contentType) = (.bytes(form.bytes), form.contentType)
      }
    }
  }

  init(form params: [HttpParam]) {
    content = .bytes(FormEncoding.encodedBytes(params.map { ($0.name, $0.value) }))
    contentType = "application/x-www-form-urlencoded"
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
