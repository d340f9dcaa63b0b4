import HttpWire

/// The whole body that the pieces decode to.
func decoded(
  _ pieces: [[UInt8]], _ fields: [String], limits: DecodingLimits = DecodingLimits(maxBytes: 1 << 24), budget: Int = 1 << 18
) throws(WireError) -> [UInt8] {
  var headers = HttpHeaders()
  for field in fields { headers.append("Content-Encoding", field) }
  guard let decoder = try ContentDecoder.make(contentEncoding: headers, limits: limits) else { return Array(pieces.joined()) }
  var body: [UInt8] = []
  for piece in pieces { try decoder.take(piece, into: &body, budget: budget) }
  try decoder.finish()
  return body
}

extension ContentDecoder {
  /// Decodes all of a piece.
  func take(_ piece: [UInt8], into body: inout [UInt8], budget: Int = 1 << 18) throws(WireError) {
    var offset = 0
    var progress = Progress.hasMore
    while progress == .hasMore {
      var output: [UInt8] = []
      progress = try piece.span.bytes.withUnsafeBytes { (bytes) throws(WireError) in
        try decode(bytes, at: &offset, into: &output, budget: budget)
      }
      body += output
    }
  }
}

/// How decoding ended.
func outcome(
  _ pieces: [[UInt8]], _ fields: [String], limits: DecodingLimits = DecodingLimits(maxBytes: 1 << 24), budget: Int = 1 << 18
) -> Result<[UInt8], WireError> {
  do throws(WireError) {
    return .success(try decoded(pieces, fields, limits: limits, budget: budget))
  } catch {
    return .failure(error)
  }
}

extension Result where Failure == WireError {
  /// The kind of failure, if it is one.
  var kind: WireError.Kind? { if case .failure(let error) = self { error.kind } else { nil } }
}
