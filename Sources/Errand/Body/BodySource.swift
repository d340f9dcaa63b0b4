internal import EventLoop

/// What a request's body is read from while it is sent. The loop asks for the next piece, and is told later of one that is not there yet.
@LoopActor
protocol BodySource: AnyObject, Sendable {
  /// In bytes; nil if nobody knows beforehand.
  var length: Int64? { get }
  /// Whether it can be read again from the start.
  var isReplayable: Bool { get }
  /// Told, on the loop and never within ``next(into:)``, when there is more to be had after ``BodyStep/later``.
  var onReady: (@LoopActor () -> Void)? { get set }

  /// Replaces `piece`, whose bytes are used up, by the next one. What said that it is at its end, or has failed, says so again.
  func next(into piece: inout [UInt8]) -> BodyStep
  /// Has ``next(into:)`` begin from the start again. Throws `cannot_replay_body` if that can't be. Before anything was read it does nothing.
  func rewind() throws(HttpClientError)
  /// Reads no more, closes files, ends tasks.
  func close()
}

/// What a body's source has to say.
enum BodyStep {
  /// `isLast`: it is known that no more will come.
  case piece(isLast: Bool)
  /// Nothing yet.
  case later
  case end
  case failed(HttpClientError)
}

extension HttpClientError {
  static func body(_ message: String) -> HttpClientError { .invalid("body", message) }

  static func cannotReplayBody(_ message: String) -> HttpClientError {
    HttpClientError(.cannotReplayBody, phase: .request, message: message)
  }
}
