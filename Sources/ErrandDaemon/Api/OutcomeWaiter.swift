internal import Errand
internal import EventLoop
internal import HttpServer

/// A call that waits for a request's outcome. That it goes away changes nothing for the request.
@LoopActor
final class OutcomeWaiter: TimerTarget, OpenCall {
  private let record: RequestRecord
  private let responder: Responder
  private let core: DaemonCore
  private var timer = TimerID.none

  private init(_ record: RequestRecord, _ responder: Responder, _ core: DaemonCore) {
    self.record = record
    self.responder = responder
    self.core = core
  }

  /// Answers with the outcome once it is there, or with the state when `wait` is over.
  static func wait(_ wait: Duration, for record: RequestRecord, _ responder: Responder, _ core: DaemonCore) {
    if let result = record.result { return answer(result, responder) }
    let waiter = OutcomeWaiter(record, responder, core)
    guard wait > .zero else { return waiter.answerState() }
    record.waiters.append(waiter)
    core.opened(waiter)
    responder.onClose = { waiter.leave() }
    waiter.timer = EventLoop.shared.schedule(after: wait, waiter, kind: 0)
  }

  func ended(_ result: RequestResult) {
    close()
    OutcomeWaiter.answer(result, responder)
  }

  func timerFired(_ kind: UInt8) {
    leave()
    answerState()
  }

  /// Its answer is given the moment the request ends.
  var isOwing: Bool { false }
  func noMoreComes() {}

  func finish() -> Int? {
    timerFired(0)
    return nil
  }

  private func leave() {
    record.waiters.removeAll { $0 === self }
    close()
  }

  private func close() {
    EventLoop.shared.cancel(timer)
    core.closed(self)
  }

  private static func answer(_ result: RequestResult, _ responder: Responder) {
    responder.json(Array(result.event.jsonBytes) + [0x0A])
  }

  private func answerState() {
    var bytes: [UInt8] = []
    core.append(accepted: record, to: &bytes)
    bytes.append("\n")
    responder.json(bytes, status: 202)
  }
}

extension DaemonCore {
  /// What a submitter is told: `{"handle": …, "state": …}`.
  func append(accepted record: RequestRecord, to bytes: inout [UInt8]) {
    bytes.append("{\"handle\":\"")
    bytes.append(decimal: record.handle.id)
    bytes.append("\",\"state\":\"")
    bytes.append(contentsOf: state(record).utf8)
    bytes.append("\"}")
  }

  /// Where a request stands, in one word.
  func state(_ record: RequestRecord) -> String {
    record.result?.state.rawValue ?? client.state(record.handle) ?? (record.end == nil ? "queued" : "receiving")
  }
}
