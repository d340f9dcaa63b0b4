/// Writing the chunked transfer coding (RFC 9112 7.1).
enum ChunkedCoding {
  static func chunk(_ data: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    // An empty chunk would end the body.
    guard !data.isEmpty else { return }
    bytes.append(hex: UInt64(data.count))
    bytes.append(static: "\r\n")
    bytes.append(contentsOf: data)
    bytes.append(static: "\r\n")
  }

  static func lastChunk(trailers: HttpHeaders, to bytes: inout [UInt8]) throws(WireError) {
    try trailers.validate()
    for name in ["Content-Length", "Transfer-Encoding", "Host"] where trailers.contains(name) {
      throw .invalid("the field \(name) is not allowed in trailers")
    }
    bytes.append(static: "0\r\n")
    trailers.write(to: &bytes, skippingHost: true)
    bytes.append(static: "\r\n")
  }
}
