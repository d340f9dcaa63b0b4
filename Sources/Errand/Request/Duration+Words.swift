internal import EventLoop

extension Duration {
  /// In milliseconds up to a second, in tenths of a second above: `200 ms`, `3.2 s`.
  var forPeople: String {
    let milliseconds = (max(0, wholeNanoseconds) / 500_000 + 1) / 2
    if milliseconds < 1_000 { return "\(milliseconds) ms" }
    let tenths = (milliseconds + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }
}
