import TestSupport

extension SeededGenerator {
  mutating func bytes(upTo count: Int) -> [UInt8] {
    let length = Int.random(in: 0...count, using: &self)
    return (0..<length).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  /// A few bytes of `valid` changed, dropped, doubled, or replaced by ones that matter to the grammar.
  mutating func mutation(of valid: [UInt8]) -> [UInt8] {
    let special = Array("\r\n\0\t :;,0x+-\"\\/%?#@[]{}\u{7F}ü".utf8)
    var bytes = valid
    for _ in 0..<Int.random(in: 1...3, using: &self) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &self)
      switch next() % 5 {
      case 0: bytes[index] = UInt8(truncatingIfNeeded: next())
      case 1: bytes.remove(at: index)
      case 2: bytes.insert(bytes[index], at: index)
      case 3: bytes[index] = special[Int.random(in: 0..<special.count, using: &self)]
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }
}
