internal import EventLoop
internal import HttpWire

/// Header sections.
extension Http2Session {
  /// A HEADERS frame has begun. Of a stream that is over its section is read for the compression's sake alone.
  func beganHeaders(_ number: Int32) {
    block.slot = -1
    guard let stream = find(number), !streams[stream.index].isOver else { return }
    block = HeaderBlock(slot: stream.slot, isTrailer: streams[stream.index].hasHead)
  }

  /// False: no more of this section is wanted.
  func received(field name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    guard let excess = block.add(name, value, limits) else { return true }
    switch excess {
    case .bytes where block.isTrailer: return refuse("trailerBytes", "the trailers are too large")
    case .bytes: return refuse("headBytes", "the header is too large")
    case .count: return refuse("headerCount", "there are too many header fields")
    }
  }

  private func refuse(_ limit: String, _ message: String) -> Bool {
    let stream = Http2Stream(slot: block.slot, number: streams[Int(block.slot)].number)
    block.slot = -1
    fault(stream, WireError(kind: .tooLarge, limit: limit, message: message))
    return false
  }

  /// nghttp2 refuses a field.
  func invalid(field name: UnsafeRawBufferPointer) {
    guard block.slot >= 0 else { return }
    let stream = Http2Stream(slot: block.slot, number: streams[Int(block.slot)].number)
    block.slot = -1
    fault(stream, .http2("a header field of the response is not valid: \(Http2Session.excerpt(name))"))
  }

  func headersComplete(_ stream: Http2Stream, endsStream: Bool) {
    var fields = HttpHeaders()
    swap(&fields, &block.fields)
    if streams[stream.index].hasHead {
      handler?.received(trailers: fields, on: stream)
      return
    }
    let head = ResponseHead(version: .http2, status: block.status, headers: fields)
    guard head.status < 200 else {
      streams[stream.index].hasHead = true
      handler?.received(head: head, contentLength: block.contentLength, on: stream)
      return
    }
    guard head.status >= 100, head.status != 101 else {
      return fault(stream, .http2("the server answers with status \(head.status), which HTTP/2 does not have"))
    }
    streams[stream.index].interimCount += 1
    guard Int(streams[stream.index].interimCount) <= limits.interimResponses else {
      return fault(stream, WireError(kind: .tooLarge, limit: "interimResponses", message: "there are too many interim responses"))
    }
    handler?.received(interim: head, on: stream)
  }

  /// A header section as it is read: one at a time on a connection (RFC 9113 section 4.3).
  struct HeaderBlock {
    /// -1: of no interest.
    var slot: Int32 = -1
    var isTrailer = false
    var fields = HttpHeaders()
    var status = 0
    var contentLength: Int64?
    /// As RFC 9113 section 10.5.1 counts them.
    private var bytes = 0

    enum Excess { case bytes, count }

    init(slot: Int32 = -1, isTrailer: Bool = false) {
      self.slot = slot
      self.isTrailer = isTrailer
      if slot >= 0 { fields.reserveCapacity(fields: 12, bytes: 384) }
    }

    /// Tells which limit the field goes beyond.
    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ limits: WireLimits) -> Excess? {
      guard slot >= 0 else { return nil }
      bytes += name.count + value.count + 32
      guard bytes <= (isTrailer ? limits.trailerBytes : limits.headBytes) else { return .bytes }
      if name.first == UInt8(ascii: ":") {
        // nghttp2 lets no other pseudo field of a response through, and this one once.
        status = Http2Session.number(value, upTo: 999).map(Int.init) ?? 0
        return nil
      }
      guard fields.count < limits.headerCount else { return .count }
      let trimmed = Http2RequestHead.trimmed(value)
      if name.count == 14, Http2RequestHead.equals(name, "content-length") { contentLength = Http2Session.number(trimmed, upTo: .max) }
      fields.append(name: name, value: trimmed)
      return nil
    }
  }

  /// Digits only; nil for anything else and for numbers above `limit`.
  fileprivate nonisolated static func number(_ text: UnsafeRawBufferPointer, upTo limit: Int64) -> Int64? {
    guard !text.isEmpty, text.count < 20 else { return nil }
    var number: Int64 = 0
    for byte in text {
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Int64(byte &- 0x30))
      guard byte &- 0x30 < 10, !overflow, !carry, sum <= limit else { return nil }
      number = sum
    }
    return number
  }

  /// A name of the server's for people: printable ASCII, cut after 100 bytes.
  static func excerpt(_ bytes: UnsafeRawBufferPointer) -> String {
    var text = ""
    for byte in bytes.prefix(100) { text.unicodeScalars.append(byte >= 0x20 && byte < 0x7F ? Unicode.Scalar(byte) : "?") }
    return bytes.count > 100 ? "\"\(text)…\"" : "\"\(text)\""
  }
}
