internal import EventLoop

/// Bytes that wait for the kernel to take them. Whole arrays are queued without a copy, small ones are joined.
struct OutputQueue {
  enum SendOutcome {
    case done
    case blocked
    case failed
  }

  private struct Segment {
    var bytes: [UInt8]
    var start: Int
  }

  private static let joinedBytes = 65_536
  private static let copiedBytes = 16_384

  private var first = Segment(bytes: [], start: 0)
  private var later: [Segment] = []
  private var laterStart = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// Queues `bytes` from index `start` on.
  mutating func append(_ bytes: [UInt8], from start: Int = 0) {
    let added = bytes.count - start
    guard added > 0 else { return }
    if count == 0, added > OutputQueue.copiedBytes {
      first = Segment(bytes: bytes, start: start)
      count = added
    } else if added <= OutputQueue.copiedBytes {
      withTail { $0.append(contentsOf: bytes[start...]) }
    } else {
      later.append(Segment(bytes: bytes, start: start))
      count += added
    }
  }

  /// Lets `body` append to the last array of the queue.
  mutating func withTail(_ body: (inout [UInt8]) -> Void) {
    if laterStart == later.count {
      guard first.bytes.count > OutputQueue.joinedBytes else {
        let before = first.bytes.count
        body(&first.bytes)
        count += first.bytes.count - before
        return
      }
      later.append(Segment(bytes: [], start: 0))
    } else if later[later.count - 1].bytes.count > OutputQueue.joinedBytes {
      later.append(Segment(bytes: [], start: 0))
    }
    let last = later.count - 1
    let before = later[last].bytes.count
    body(&later[last].bytes)
    count += later[last].bytes.count - before
  }

  /// Hands the kernel what it takes.
  mutating func send(to descriptor: Int32) -> SendOutcome {
    while count > 0 {
      let rest = first.bytes.count - first.start
      if rest > 0 {
        let result = first.bytes.withUnsafeBytes { Socket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[first.start...])) }
        switch result {
        case .sent(let sent):
          first.start += sent
          count -= sent
          // Less than asked: the kernel is full, another try would only say so.
          if sent < rest { return .blocked }
        case .wouldBlock: return .blocked
        case .failed: return .failed
        }
      }
      takeNext()
    }
    return .done
  }

  mutating func removeAll() {
    self = OutputQueue()
  }

  private mutating func takeNext() {
    guard laterStart < later.count else {
      first.start = 0
      // A stream of small events keeps its buffer, a large one gives it back.
      first.bytes.removeAll(keepingCapacity: first.bytes.capacity <= 4_096)
      return
    }
    first = later[laterStart]
    later[laterStart].bytes = []
    laterStart += 1
    if laterStart == later.count {
      later.removeAll()
      laterStart = 0
    } else if laterStart >= 64, laterStart * 2 > later.count {
      later.removeFirst(laterStart)
      laterStart = 0
    }
  }
}
