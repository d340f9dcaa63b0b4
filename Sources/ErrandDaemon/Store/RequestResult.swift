internal import Errand
internal import EventLoop
internal import HttpWire

/// How a request ended.
final class RequestResult: Sendable {
  enum State: String, Sendable {
    case finished, failed, cancelled
  }

  let handle: UInt64
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
  /// The response's body as it came; nil if there was no response, or it is on disk alone.
  let body: [UInt8]?
  /// The body was read from no response of this process: it is in the journal.
  let isBodyOnDisk: Bool
  let contentType: String?
  /// What happened to it, where an earlier process saw it.
  private let earlierSteps: [RequestTrace.Step]?

  /// What happened to it, its end aside; empty if it was refused before it began.
  var steps: [RequestTrace.Step] { trace?.timeline ?? earlierSteps ?? [] }

  /// One that an earlier process had.
  init(
    _ state: State, handle: UInt64, seq: UInt64, event: StoredEvent, at endedAt: Instant, status: Int?, errorCode: String?,
    message: String?,
    sent: SentState, bytesWritten: Int64, attempts: Int, timings: RequestTimings?, steps: [RequestTrace.Step], contentType: String?,
    isBodyOnDisk: Bool
  ) {
    self.state = state
    self.handle = handle
    self.seq = seq
    self.event = event
    self.endedAt = endedAt
    self.status = status
    self.errorCode = errorCode
    self.message = message
    self.sent = sent
    self.bytesWritten = bytesWritten
    self.attempts = attempts
    self.timings = timings
    self.contentType = contentType
    self.isBodyOnDisk = isBodyOnDisk
    earlierSteps = steps
    trace = nil
    body = nil
  }

  init(_ outcome: Outcome, of handle: RequestHandle, _ trace: RequestTrace?, seq: UInt64, event: StoredEvent, at endedAt: Instant) {
    self.handle = handle.id
    self.seq = seq
    self.event = event
    self.endedAt = endedAt
    self.trace = trace
    isBodyOnDisk = false
    earlierSteps = nil
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
