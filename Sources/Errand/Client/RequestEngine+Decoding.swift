internal import EventLoop
internal import HttpWire

/// Bodies with content codings (RFC 9110 section 8.4).
extension RequestEngine {
  /// The head of a response that is the last came, and a body with codings follows. False: it can't be decoded, and the request has ended.
  func beginsDecoding(_ item: RequestItem, _ head: ResponseHead, contentLength: Int64?) -> Bool {
    let isStreamed = item.taker != nil
    let limits = DecodingLimits(maxBytes: isStreamed ? .max : item.rules.maxBodyBytes, maxRatio: item.rules.maxDecodedRatio)
    do throws(WireError) {
      guard let decoder = try ContentDecoder.make(contentEncoding: head.headers, limits: limits) else { return true }
      item.decoding = BodyDecoding(decoder)
    } catch {
      decodingFailed(item, error)
      return false
    }
    if let contentLength, !isStreamed {
      // Text becomes about four times as much. A peer may announce more than it sends: only the first part is taken on its word.
      item.received.reserveCapacity(Int(min(4 * min(contentLength, 262_144), item.rules.maxBodyBytes)))
    }
    return true
  }

  /// Bytes of the body came.
  func decode(_ item: RequestItem, _ decoding: BodyDecoding, _ bytes: UnsafeRawBufferPointer) {
    do throws(WireError) {
      try gather(item, decoding) { (output) throws(WireError) in try decoding.take(bytes, into: &output, decodings) }
    } catch {
      return decodingFailed(item, error)
    }
    // What takes the body may have ended the request.
    guard decoding.hasMore, item.decoding === decoding else { return }
    item.connection?.pause(item)
    decodings.add(item, of: self)
  }

  /// The next piece of what was received before.
  func decodeMore(_ item: RequestItem, _ decoding: BodyDecoding) {
    // Goes on when the delegate has taken some.
    if item.taker?.isFull(item) == true { return }
    do throws(WireError) {
      try gather(item, decoding) { (output) throws(WireError) in try decoding.goOn(into: &output, decodings) }
      guard item.decoding === decoding else { return }
      if decoding.hasMore { return decodings.add(item, of: self) }
      guard decoding.hasEnded else {
        // It was this that held the reading up.
        if item.taker?.isFull(item) != true { resumeReading(item) }
        return
      }
      try decoding.finish()
      if let download = item.download, item.taker === download { return finish(download, item, isReusable: false) }
      apply(item.machine.answered(), to: item)
    } catch {
      decodingFailed(item, error)
    }
  }

  /// The message has ended. False: what is left to decode, or what was wrong with it, ends the request.
  func isDecoded(_ item: RequestItem, _ decoding: BodyDecoding, isReusable: Bool) -> Bool {
    if decoding.hasMore {
      // The connection can serve others meanwhile.
      decoding.hasEnded = true
      apply(item.machine.followed(isReusable: isReusable), to: item)
      return false
    }
    do throws(WireError) {
      try decoding.finish()
      return true
    } catch {
      if case .final(let words) = failed(item, .truncated, error.message) {
        apply(item.machine.responseFailed(.truncated, error.message + words), to: item)
      }
      return false
    }
  }

  /// An answer that is there as a whole is the outcome. `isCoded`: its body is as it came.
  func takeAnswer(_ item: RequestItem, isCoded: Bool = true) {
    guard let head = item.head else { return apply(item.machine.answered(), to: item) }
    let received = item.received
    item.received = []
    if item.interests.contains(.head) { send(.head(head), to: item) }
    if item.interests.contains(.bodyChunks) { item.taker = ChunkTaker(self) }
    if isCoded, !received.isEmpty, item.rules.decodes(head, item.method) {
      guard beginsDecoding(item, head, contentLength: Int64(received.count)) else { return }
      if let decoding = item.decoding {
        decoding.hasEnded = true
        received.withUnsafeBytes(decoding.keep)
        return decodings.add(item, of: self)
      }
    }
    if let taker = item.taker {
      received.withUnsafeBytes { taker.take($0, of: item) }
    } else {
      item.received = received
    }
    apply(item.machine.answered(), to: item)
  }

  private func gather(
    _ item: RequestItem, _ decoding: BodyDecoding, _ body: (inout [UInt8]) throws(WireError) -> Void
  ) throws(WireError) {
    guard let taker = item.taker else { return try body(&item.received) }
    var chunk: [UInt8] = []
    try body(&chunk)
    if !chunk.isEmpty { chunk.withUnsafeBytes { taker.take($0, of: item) } }
  }

  private func decodingFailed(_ item: RequestItem, _ error: WireError) {
    item.decoding = nil
    var message = error.message
    if error.limit == "maxBytes" { message = "the body decodes to more than \(item.rules.maxBodyBytes) bytes (limit max_body_bytes)" }
    if error.limit == "maxRatio" { message += " (limit max_decoded_ratio)" }
    let code: HttpClientError.Code
    switch error.kind {
    case .tooLarge: code = .tooLarge
    case .truncated: code = .truncated
    default: code = .malformedResponse
    }
    apply(item.machine.refused(code, .response, message), to: item)
  }
}
