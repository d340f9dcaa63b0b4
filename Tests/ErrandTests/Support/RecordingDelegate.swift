import EventLoop
import HttpWire

@testable import Errand

/// What a delegate was told, in order.
enum DelegateEvent: Sendable {
  case finished(HttpResponse)
  case failed(HttpClientError)
  case cancelled(CancelReceipt)
  case interim(ResponseHead)
  case head(ResponseHead)
  case chunk([UInt8])
  case sent(Int64, of: Int64)

  var isOutcome: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    case .interim, .head, .chunk, .sent: false
    }
  }

  var name: String {
    switch self {
    case .finished: "finished"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .interim: "interim"
    case .head: "head"
    case .chunk: "chunk"
    case .sent: "sent"
    }
  }

  var response: HttpResponse? { if case .finished(let response) = self { response } else { nil } }
  var error: HttpClientError? { if case .failed(let error) = self { error } else { nil } }
}

/// Keeps all that it is told.
final class RecordingDelegate: HttpClientDelegate {
  let events = Record<(info: RequestInfo, event: DelegateEvent)>("events of a delegate")
  let outcomes = Record<(info: RequestInfo, event: DelegateEvent)>("outcomes of a delegate")
  let interests: RequestInterests
  /// Called before an event is kept, on the delivery queue.
  private let before: @Sendable (DelegateEvent) -> Void

  init(_ interests: RequestInterests = [], before: @escaping @Sendable (DelegateEvent) -> Void = { _ in }) {
    self.interests = interests
    self.before = before
  }

  private func add(_ info: RequestInfo, _ event: DelegateEvent) {
    before(event)
    events.add((info, event))
    if event.isOutcome { outcomes.add((info, event)) }
  }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { add(request, .finished(response)) }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { add(request, .failed(error)) }
  func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt) { add(request, .cancelled(receipt)) }
  func request(_ request: RequestInfo, didReceiveInterim head: ResponseHead) { add(request, .interim(head)) }
  func request(_ request: RequestInfo, didReceiveHead head: ResponseHead) { add(request, .head(head)) }
  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) { add(request, .chunk(chunk)) }
  func request(_ request: RequestInfo, didSend sent: Int64, of total: Int64) { add(request, .sent(sent, of: total)) }
}
