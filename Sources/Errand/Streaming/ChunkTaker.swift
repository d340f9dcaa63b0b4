internal import EventLoop

/// Hands a response's body to the delegate that asked for its chunks.
@LoopActor
final class ChunkTaker: BodyTaker {
  private let engine: RequestEngine

  init(_ engine: RequestEngine) {
    self.engine = engine
  }

  // What a delegate has been told can't be taken back.
  var mayStartAnew: Bool { false }
  // Those of a failure come too.
  var takesSuccess: Bool { false }

  func take(_ bytes: UnsafeRawBufferPointer, of item: RequestItem) {
    guard !bytes.isEmpty else { return }
    engine.send(.chunk([UInt8](bytes)), to: item)
    item.holds(bytes.count)
  }
}
