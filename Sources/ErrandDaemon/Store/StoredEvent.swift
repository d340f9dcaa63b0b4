/// One event as it goes out: the frame of an event stream, with the JSON in it.
struct StoredEvent: Sendable {
  /// `id: …`, `event: …`, `data: …` and the empty line.
  let frame: [UInt8]
  /// Where the JSON stands in `frame`. It is one line.
  let json: Range<Int>

  init(frame: [UInt8], json: Range<Int>) {
    self.frame = frame
    self.json = json
  }

  /// The event whose frame was kept; nil if it is none.
  init?(frame: [UInt8]) {
    let mark = Array("\ndata: ".utf8)
    guard frame.count > mark.count + 2, frame.suffix(2).elementsEqual([0x0A, 0x0A]) else { return nil }
    // In front of the data stand a number and a word.
    for start in 0..<min(frame.count - mark.count, 128) where frame[start..<(start + mark.count)].elementsEqual(mark) {
      self.init(frame: frame, json: (start + mark.count)..<(frame.count - 2))
      return
    }
    return nil
  }

  var jsonBytes: ArraySlice<UInt8> { frame[json] }
}
