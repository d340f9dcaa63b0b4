internal import Dispatch
internal import Errand
internal import EventLoop
internal import HttpWire

/// Follows a delegate's event stream, and connects again after a loss, from where it was.
final class EventFollower: Sendable {
  /// What the handler of events wants.
  enum Next: Sendable {
    case goOn
    case stop
  }

  private let control: ControlClient
  private let path: String
  private let began = Instant.now()
  private let start = Locked<DaemonStart?>(nil)
  private let stream: Locked<EventStream>
  private let handler: @Sendable (EventStream.Event) -> Next
  /// Told after each piece, of the last event that it completed.
  private let afterPiece: @Sendable (String) -> Void

  init(
    _ control: ControlClient, delegate: String, after: String?, afterPiece: @escaping @Sendable (String) -> Void = { _ in },
    handler: @escaping @Sendable (EventStream.Event) -> Next
  ) {
    self.control = control
    path = "/v1/delegates/\(FormEncoding.percentEncode(delegate))/events"
    stream = Locked(EventStream(lastID: after ?? ""))
    self.handler = handler
    self.afterPiece = afterPiece
  }

  /// Returns when the handler wants no more. Throws if the daemon can't be reached at first, or refuses.
  func run() throws(Failure) {
    try learnStart()
    var hasConnected = false
    var failures = 0
    while true {
      if hasConnected {
        do throws(Failure) {
          try learnStart()
        } catch {
          pause(error.message, attempt: failures)
          failures += 1
          continue
        }
      }
      let connection = FollowedConnection(stream, isAgain: hasConnected, handler, afterPiece)
      control.client.submit(request, delegate: connection)
      switch connection.wait() {
      case .stopped: return
      case .refused(let problem): throw problem.failure
      case .lost(let error, let wasOpen):
        if wasOpen {
          hasConnected = true
          failures = 0
        }
        guard hasConnected else { throw control.failure(error) }
        pause(error.message, attempt: failures)
        failures += 1
      }
    }
  }

  /// Throws if no daemon answers. One that was started anew numbers its events anew: what was seen of the old one's says nothing of them.
  private func learnStart() throws(Failure) {
    guard let new = try DaemonStart.ask(control, since: began) else { return }
    let old = start.withLock { start in
      defer { start = new }
      return start
    }
    guard let old, new.isLater(than: old) else { return }
    stream.withLock { $0.beginAnew() }
    Output.note(
      "the daemon was started anew: requests that it had accepted, and outcomes that were not read, may be gone (it keeps them in memory)")
  }

  private var request: HttpRequest {
    var request = control.request(.get, path, waits: true)
    request.timeouts.firstByte = .seconds(30)
    request.headers.append("Accept", "text/event-stream")
    let lastID = stream.withLock { $0.lastID }
    if !lastID.isEmpty { request.headers.append("Last-Event-ID", lastID) }
    return request
  }

  private func pause(_ reason: String, attempt: Int) {
    let (lastID, wanted) = stream.withLock { ($0.lastID, $0.retryMilliseconds) }
    let delay = min(5_000, max(Int(wanted ?? 100), 100 << min(attempt, 6)))
    if attempt == 0 {
      Output.note("the event stream ended (\(reason)); connecting again" + (lastID.isEmpty ? "" : ", after event \(lastID)"))
    }
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(delay))
  }
}

/// One connection's part of the stream.
private final class FollowedConnection: HttpClientDelegate {
  enum End: Sendable {
    case stopped
    case refused(Problem)
    case lost(HttpClientError, wasOpen: Bool)
  }

  let interests: RequestInterests = [.head, .bodyChunks]
  private let stream: Locked<EventStream>
  /// Not the first connection.
  private let isAgain: Bool
  private let handler: @Sendable (EventStream.Event) -> EventFollower.Next
  private let afterPiece: @Sendable (String) -> Void
  private let head = Locked<ResponseHead?>(nil)
  private let refusal = Locked<[UInt8]>([])
  private let end = Locked<End?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(
    _ stream: Locked<EventStream>, isAgain: Bool, _ handler: @escaping @Sendable (EventStream.Event) -> EventFollower.Next,
    _ afterPiece: @escaping @Sendable (String) -> Void
  ) {
    self.stream = stream
    self.isAgain = isAgain
    self.handler = handler
    self.afterPiece = afterPiece
  }

  func wait() -> End {
    done.wait()
    return end.withLock { $0 } ?? .stopped
  }

  func request(_ request: RequestInfo, didReceiveHead head: ResponseHead) {
    self.head.withLock { $0 = head }
    if isAgain, head.status < 400 { Output.note("connected again") }
  }

  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) {
    guard end.withLock({ $0 == nil }) else { return }
    if let head = head.withLock({ $0 }), head.status >= 400 { return refusal.withLock { $0 += chunk } }
    let events = stream.withLock { $0.take(chunk) }
    for event in events where handler(event) == .stop {
      afterPiece(event.id)
      return finish(.stopped)
    }
    if let last = events.last { afterPiece(last.id) }
  }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) {
    lost(HttpClientError(.connectionLost, message: "the daemon closed it"))
  }

  func requestDidFail(_ request: RequestInfo, error: HttpClientError) {
    guard error.code == .httpStatus, let status = error.status else { return lost(error) }
    finish(.refused(Problem(status: status, try? JsonValue.parse(refusal.withLock { $0 }))))
  }

  func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt) {
    finish(.stopped)
  }

  private func lost(_ error: HttpClientError) {
    stream.withLock { $0.connectionEnded() }
    finish(.lost(error, wasOpen: head.withLock { $0 != nil }))
  }

  private func finish(_ ended: End) {
    let isFirst = end.withLock { end in
      guard end == nil else { return false }
      end = ended
      return true
    }
    if isFirst { done.signal() }
  }
}
