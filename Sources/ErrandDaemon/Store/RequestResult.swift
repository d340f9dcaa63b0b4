internal import Errand
internal import EventLoop
internal import HttpWire

/// How a request ended.
final class RequestResult: Sendable {
  enum State: String, Sendable {
    case finished, failed, cancelled
  }

  let state: State
  let seq: UInt64
  let event: StoredEvent
  let endedAt: Instant
  let status: Int?
  let errorCode: String?
  let message: String?
  let sent: SentState
  let bytesWritten: Int64
  let attempts: Int
  let timings: RequestTimings?
  /// What happened to it; nil if it was refused before it began.
  let trace: RequestTrace?
  /// The response's body as it came; nil if there was no response.
  let body: [UInt8]?
  let contentType: String?

  init(_ outcome: Outcome, _ trace: RequestTrace?, seq: UInt64, event: StoredEvent, at endedAt: Instant) {
    self.seq = seq
    self.event = event
    self.endedAt = endedAt
    self.trace = trace
    bytesWritten = trace?.bytesWritten ?? 0
    let response = EventWriter.response(outcome)
    status = response?.status
    body = response?.body
    // Nearly all are of this type: one text for all of them.
    let type = response?.headers["content-type"]
    contentType = type == "application/json" ? "application/json" : type
    switch outcome {
    case .finished(let response):
      state = .finished
      errorCode = nil
      message = nil
      sent = .sent
      attempts = response.attempts
      timings = response.timings
    case .failed(let error):
      state = .failed
      errorCode = error.code.rawValue
      message = error.message
      sent = error.sent
      attempts = error.attempts
      timings = error.timings
    case .cancelled(let receipt):
      state = .cancelled
      errorCode = nil
      message = nil
      sent = receipt.sent
      attempts = 0
      timings = nil
    }
  }

  /// What it counts for in the limits of retention.
  var bytes: Int { event.frame.count + (body?.count ?? 0) }
}
