internal import Dispatch
internal import EventLoop
internal import HttpWire
internal import Synchronization

/// Where a request's events go.
enum Sink: Sendable {
  case delegate(DispatchQueue?)
  case completion(@Sendable (Result<HttpResponse, HttpClientError>) -> Void, DispatchQueue?)
  case loop(any OutcomeSink)
  /// For callers that wait: resuming them does not block, so it is done on the loop.
  case waiter(@Sendable (Result<HttpResponse, HttpClientError>) -> Void)
  /// For tasks that take the body piece by piece.
  case stream(ResponseBuffer)

  var isStream: Bool { if case .stream = self { true } else { false } }
}

/// Whom a request's events go to, and the decision between a cancel and a delivery that is under way on another thread: whoever takes the
/// ticket first. Once taken, always taken.
final class DeliveryTicket: Sendable {
  let info: RequestInfo
  let sink: Sink
  weak let delegate: (any HttpClientDelegate)?
  private let isTaken = Atomic<Bool>(false)

  init(_ info: RequestInfo, _ sink: Sink, _ delegate: (any HttpClientDelegate)?) {
    self.info = info
    self.sink = sink
    self.delegate = delegate
  }

  /// True for one caller only.
  func take() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }

  var isOpen: Bool { !isTaken.load(ordering: .acquiring) }
}

/// One event on its way to a delegate or completion.
final class Delivery: Sendable {
  enum Event: Sendable {
    case outcome(Outcome)
    case started
    case interim(ResponseHead)
    case head(ResponseHead)
    case chunk([UInt8])
    case sent(Int64, of: Int64)
    case redirect(Redirection)
    case challenge(AuthenticationChallenge)
    case progress(TransferProgress)
  }

  let ticket: DeliveryTicket
  let event: Event
  /// Told if the outcome comes to be delivered.
  private let observed: ObservedEnd?

  init(_ ticket: DeliveryTicket, _ event: Event, _ observed: ObservedEnd? = nil) {
    self.ticket = ticket
    self.event = event
    self.observed = observed
  }

  /// Calls the delegate, unless the request was cancelled meanwhile.
  func deliver() {
    if case .outcome(let outcome) = event {
      guard isCancellation || ticket.take() else { return }
      observed?.happened(ticket.info, outcome)
      deliver(outcome)
    } else if ticket.isOpen, case .delegate = ticket.sink, let delegate = ticket.delegate {
      switch event {
      case .outcome: break
      case .started: delegate.requestDidStart(ticket.info)
      case .interim(let head): delegate.request(ticket.info, didReceiveInterim: head)
      case .head(let head): delegate.request(ticket.info, didReceiveHead: head)
      case .chunk(let bytes): delegate.request(ticket.info, didReceiveBody: bytes)
      case .sent(let sent, let total): delegate.request(ticket.info, didSend: sent, of: total)
      case .redirect(let redirection): delegate.request(ticket.info, willFollow: redirection)
      case .challenge(let challenge): delegate.request(ticket.info, didReceiveChallenge: challenge)
      case .progress(let progress): delegate.request(ticket.info, didReceive: progress)
      }
    }
  }

  /// A cancellation is made only by the one who took the ticket.
  private var isCancellation: Bool {
    if case .outcome(.cancelled) = event { true } else { false }
  }

  private func deliver(_ outcome: Outcome) {
    switch ticket.sink {
    case .delegate:
      guard let delegate = ticket.delegate else { return }
      switch outcome {
      case .finished(let response): delegate.requestDidFinish(ticket.info, response: response)
      case .failed(let error): delegate.requestDidFail(ticket.info, error: error)
      case .cancelled(let receipt): delegate.requestWasCancelled(ticket.info, receipt: receipt)
      }
    case .completion(let completion, _), .waiter(let completion):
      completion(outcome.result)
    case .loop, .stream:
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
