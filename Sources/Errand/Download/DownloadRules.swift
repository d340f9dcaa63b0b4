internal import HttpWire

/// What a response's head means to a download. Pure.
struct DownloadRules {
  /// What was asked for.
  enum Asked: Sendable, Hashable {
    case whole
    /// What follows the first `from` bytes, which are there; `record`: of these, nil where they are a target that was there.
    case rest(from: Int64, PartRecord?)
    /// A range of the caller's own.
    case ownRange
  }

  enum Decision: Sendable, Hashable {
    /// It is not for the file.
    case pass
    /// The body goes to the file from `offset` on. `total`: of the whole file; nil if it is not known.
    case write(offset: Int64, total: Int64?)
    /// What is there is the whole file.
    case isWhole(Int64)
    /// What is there is of no use.
    case fromStart
    case malformed(String)
  }

  let asked: Asked
  let acceptStatus: [Int]

  /// `now`: seconds since 1970.
  func decide(_ head: ResponseHead, contentLength: Int64?, now: Int64) -> Decision {
    let range = head.headers["Content-Range"].flatMap(ContentRange.init)
    if case .rest(let from, let record) = asked {
      switch head.status {
      case 206: return rest(head, range, from, record, now)
      case 416:
        guard let range, range.first == nil, range.completeLength == from, record?.total ?? from == from else { return .fromStart }
        return .isWhole(from)
      default: break
      }
    }
    guard (200..<300).contains(head.status) || acceptStatus.contains(head.status) else { return .pass }
    if head.status == 206, asked == .whole, range?.first != 0 || range?.byteCount != range?.completeLength {
      return .malformed("a part came, though the whole was asked for")
    }
    let isEncoded = head.headers.contains("Transfer-Encoding")
    return .write(offset: 0, total: isEncoded ? nil : contentLength)
  }

  private func rest(
    _ head: ResponseHead, _ range: ContentRange?, _ from: Int64, _ record: PartRecord?, _ now: Int64
  ) -> Decision {
    guard let range, range.first == from, let last = range.last else { return .fromStart }
    if let known = record?.total, let total = range.completeLength, known != total { return .fromStart }
    // Only with the same strong validator are two parts of one whole (RFC 9110 section 15.3.7).
    if let record, let validator = PartRecord.validator(of: head.headers, now: now), validator != record.validator { return .fromStart }
    if head.headers.contains("ETag"), record?.validator.hasPrefix("\"") == true, head.headers["ETag"] != record?.validator {
      return .fromStart
    }
    // The last offset is below the largest number: the reader of the field sees to that.
    return .write(offset: from, total: range.completeLength ?? record?.total ?? last + 1)
  }
}
