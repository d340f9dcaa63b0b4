/// The lines of an NDJSON body that hold anything, with their numbers.
struct NdjsonLines: Sequence, IteratorProtocol {
  struct Line {
    /// From 1, blank lines counted.
    let number: Int
    let range: Range<Int>
  }

  private let bytes: [UInt8]
  private var index = 0
  private var number = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// How many lines there are, blank ones included.
  var count: Int {
    bytes.withUnsafeBufferPointer { bytes in
      var count = 0
      for byte in bytes where byte == 0x0A { count += 1 }
      return bytes.last == 0x0A || bytes.isEmpty ? count : count + 1
    }
  }

  mutating func next() -> Line? {
    while index < bytes.count {
      let start = index
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      index = end + 1
      number += 1
      if bytes[start..<end].contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { return Line(number: number, range: start..<end) }
    }
    return nil
  }
}
