/// One event as it goes out: the frame of an event stream, with the JSON in it.
struct StoredEvent: Sendable {
  /// `id: …`, `event: …`, `data: …` and the empty line.
  let frame: [UInt8]
  /// Where the JSON stands in `frame`. It is one line.
  let json: Range<Int>

  var jsonBytes: ArraySlice<UInt8> { frame[json] }
}
