internal import EventLoop

/// Takes a response's body, piece by piece, in place of memory.
@LoopActor
protocol BodyTaker: AnyObject {
  /// Whether what was taken may come again, in another attempt.
  var mayStartAnew: Bool { get }
  /// It is given the bodies of successes alone.
  var takesSuccess: Bool { get }
  /// It may have the connection pause, until it has done with what it was given.
  func take(_ bytes: UnsafeRawBufferPointer, of item: RequestItem)
  /// It takes nothing just now.
  func isFull(_ item: RequestItem) -> Bool
  /// Reading may go on.
  func hasRoom(_ item: RequestItem) -> Bool
}

/// Of one that counts what it was given and has not done with yet.
extension BodyTaker {
  func isFull(_ item: RequestItem) -> Bool { item.untaken >= RequestItem.untakenLimit }
  func hasRoom(_ item: RequestItem) -> Bool { item.untaken < RequestItem.untakenLimit / 2 }
}
