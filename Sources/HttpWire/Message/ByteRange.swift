/// A part of a representation, as a request asks for it (RFC 9110 14.1.2).
public enum ByteRange: Sendable, Hashable {
  /// From this offset to the end.
  case from(Int64)
  /// From one offset to another, both included.
  case closed(Int64, Int64)
  /// The last so many bytes.
  case suffix(Int64)

  /// The value of the field Range, such as `bytes=500-`. Throws `invalid` for negative offsets, an end before the start, and an empty suffix.
  public func headerValue() throws(WireError) -> String {
    switch self {
    case .from(let first) where first >= 0: return "bytes=\(first)-"
    case .closed(let first, let last) where first >= 0 && last >= first: return "bytes=\(first)-\(last)"
    case .suffix(let count) where count > 0: return "bytes=-\(count)"
    default: throw .invalid("the range is empty or negative")
    }
  }

  /// Whether a 206 with this Content-Range has what was asked for, or as much of it as there is.
  public func isAnswered(by answer: ContentRange) -> Bool {
    guard let first = answer.first, let last = answer.last else { return false }
    let end = answer.completeLength.map { $0 - 1 }
    switch self {
    case .from(let wanted): return first == wanted && (end == nil || last == end)
    case .closed(let wanted, let wantedLast): return first == wanted && (last == wantedLast || last < wantedLast && last == end)
    case .suffix(let count):
      guard count > 0 else { return false }
      guard let end else { return last - first < count }
      return last == end && first == max(0, end - count + 1)
    }
  }
}
