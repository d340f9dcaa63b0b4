/// Taking `.` and `..` out of a path (RFC 3986 section 5.2.4).
enum DotSegments {
  /// The target with the dot segments of its path removed; the query stays as it is. The path begins with a slash.
  static func removed(fromTarget target: UnsafeRawBufferPointer) -> [UInt8] {
    let end = target.firstIndex(of: 0x3F) ?? target.count
    var out: [UInt8] = []
    out.reserveCapacity(target.count)
    var index = 0
    while index < end {
      // At the slash before a segment.
      var next = index + 1
      while next < end, target[next] != Ascii.slash { next += 1 }
      let segment = target[piece: min(index + 1, next)..<next]
      let isLast = next == end
      if isDots(segment, 1) {
        if isLast { out.append(Ascii.slash) }
      } else if isDots(segment, 2) {
        if let slash = out.lastIndex(of: Ascii.slash) { out.removeSubrange(slash...) }
        if isLast { out.append(Ascii.slash) }
      } else {
        out.append(contentsOf: target[index..<next])
      }
      index = next
    }
    out.append(contentsOf: target[end...])
    return out
  }

  private static func isDots(_ segment: UnsafeRawBufferPointer, _ count: Int) -> Bool {
    segment.count == count && segment.allSatisfy { $0 == Ascii.dot }
  }
}
