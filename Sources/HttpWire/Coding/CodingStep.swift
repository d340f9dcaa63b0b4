/// One content coding being undone, on memory of the caller's. After a throw it is not called again.
protocol CodingStep: AnyObject {
  /// In words.
  var name: String { get }
  /// More output may come of what was taken already.
  var hasPending: Bool { get }
  /// The coded data has ended, and nothing else has begun.
  var isComplete: Bool { get }

  /// Takes from `input` at `offset`, which moves on, and writes to the front of `room`, which is not empty: until the one is used up or the other
  /// full. Gives the bytes written. Throws `malformed`, or `tooLarge` for a frame that needs more memory than there is to be.
  func step(_ input: UnsafeRawBufferPointer, at offset: inout Int, into room: UnsafeMutableRawBufferPointer) throws(WireError) -> Int
}

extension CodingStep {
  func malformed(_ why: String) -> WireError { .malformed("the body is not valid \(name): \(why)") }

  var surplus: WireError { malformed("there is more behind its end") }

  static var noMemory: WireError { WireError(kind: .tooLarge, limit: "memory", message: "there is no memory to decode the body") }
}
