internal import Dispatch
internal import EventLoop
internal import HttpWire
internal import Synchronization

/// Where a request's events go.
enum Sink: Sendable {
  case delegate(WeakDelegate, DispatchQueue?)
  case completion(@Sendable (Result<HttpResponse, HttpClientError>) -> Void, DispatchQueue?)
  case loop(any OutcomeSink)
  /// For callers that wait: resuming them does not block, so it is done on the loop.
  case waiter(@Sendable (Result<HttpResponse, HttpClientError>) -> Void)
}

struct WeakDelegate: Sendable {
  weak var object: (any HttpClientDelegate)?
}

/// Decides between a cancel and a delivery that is under way on another thread: whoever takes it first. Once taken, always taken.
final class DeliveryTicket: Sendable {
  private let isTaken = Atomic<Bool>(false)

  /// True for one caller only.
  func take() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }

  var isOpen: Bool { !isTaken.load(ordering: .acquiring) }
}

/// One event on its way to a delegate or completion.
struct Delivery: Sendable {
  enum Event: Sendable {
    case outcome(Outcome)
    case interim(ResponseHead)
    case head(ResponseHead)
    case chunk([UInt8])
    case sent(Int64, of: Int64)
  }

  let info: RequestInfo
  let sink: Sink
  let ticket: DeliveryTicket
  let event: Event

  /// Calls the delegate, unless the request was cancelled meanwhile.
  func deliver() {
    if case .outcome(let outcome) = event {
      guard isCancellation || ticket.take() else { return }
      deliver(outcome)
    } else if ticket.isOpen, case .delegate(let weak, _) = sink, let delegate = weak.object {
      switch event {
      case .outcome: break
      case .interim(let head): delegate.request(info, didReceiveInterim: head)
      case .head(let head): delegate.request(info, didReceiveHead: head)
      case .chunk(let bytes): delegate.request(info, didReceiveBody: bytes)
      case .sent(let sent, let total): delegate.request(info, didSend: sent, of: total)
      }
    }
  }

  /// A cancellation is made only by the one who took the ticket.
  private var isCancellation: Bool {
    if case .outcome(.cancelled) = event { true } else { false }
  }

  private func deliver(_ outcome: Outcome) {
    switch sink {
    case .delegate(let weak, _):
      guard let delegate = weak.object else { return }
      switch outcome {
      case .finished(let response): delegate.requestDidFinish(info, response: response)
      case .failed(let error): delegate.requestDidFail(info, error: error)
      case .cancelled(let receipt): delegate.requestWasCancelled(info, receipt: receipt)
      }
    case .completion(let completion, _), .waiter(let completion):
      completion(outcome.result)
    case .loop:
      break
    }
  }
}

extension Outcome {
  var result: Result<HttpResponse, HttpClientError> {
    switch self {
    case .finished(let response): .success(response)
    case .failed(let error): .failure(error)
    case .cancelled(let receipt):
      .failure(HttpClientError(.cancelled, message: "the request was cancelled", sent: receipt.sent))
    }
  }
}
