internal import Dispatch
internal import Errand
internal import EventLoop
internal import Glibc
internal import HttpWire

/// Runs a request in this process and writes its response as it comes.
enum DirectRun {
  static func run(_ spec: RequestSpec, _ writing: ResponseWriting) throws(Failure) -> ExitCode {
    let client = HttpClient()
    let request = try spec.httpRequest()
    let receiver = DirectReceiver(writing, spec)
    let handle = client.submit(request, delegate: receiver)
    Interrupt.whenAsked { code in
      client.cancel(handle) { receipt in
        receiver.interrupted(receipt, code) { code in
          Task {
            await client.shutdown(grace: .zero)
            exit(code.rawValue)
          }
        }
      }
    }
    let outcome = receiver.wait()
    if spec.download != nil { closeFiles(client) }
    switch outcome {
    case .finished(let response):
      if writing.isVerbose { Timeline.note(response.timings, attempts: response.attempts, response: response) }
      return .ok
    case .failed(let error):
      if writing.isVerbose { Timeline.note(error.timings, attempts: error.attempts, response: error.response) }
      if error.code == .httpStatus, !writing.judgesStatus { return .ok }
      throw Failure(ExitCode(errorCode: error.code.rawValue), error.described)
    case .cancelled:
      // Only a signal cancels here. The receipt's handler, on the loop, says what was sent and ends the process.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(5))
      return .interrupted
    }
  }
}

extension DirectRun {
  /// A file that did not become one is removed behind the outcome.
  private static func closeFiles(_ client: HttpClient) {
    let closed = DispatchSemaphore(value: 0)
    Task {
      await client.shutdown(grace: .zero)
      closed.signal()
    }
    _ = closed.wait(timeout: .now() + .seconds(5))
  }
}

/// Takes the events of one request on the client's delivery queue. Writing blocks that queue, and so holds back the peer when the output is slow.
private final class DirectReceiver: HttpClientDelegate {
  let interests: RequestInterests
  private let writing: ResponseWriting
  private let output: Locked<BodyOutput>
  private let outcome = Locked<Outcome?>(nil)
  private let done = DispatchSemaphore(value: 0)
  private let isShown: Bool
  private let progress: Locked<Progress>

  init(_ writing: ResponseWriting, _ spec: RequestSpec) {
    self.writing = writing
    // The library judges a body as a whole: where it is asked to, the body does not come in pieces.
    var interests: RequestInterests = spec.expectsJson || spec.envelope != nil ? [] : [.head, .bodyChunks]
    if spec.download != nil { interests = .downloadProgress }
    isShown = !writing.isSilent && Terminal.isTerminal(STDERR_FILENO)
    if isShown, spec.body != nil || !spec.parts.isEmpty { interests.insert(.uploadProgress) }
    self.interests = interests
    progress = Locked(Progress(isShown: isShown, from: 1 << 20))
    // What is no success does not go to the file.
    var toOutput = writing
    if spec.download != nil { toOutput.output = nil }
    output = Locked(BodyOutput(toOutput, mayBeRetried: spec.retries > 0))
  }

  func wait() -> Outcome {
    done.wait()
    guard let outcome = outcome.withLock({ $0 }) else { preconditionFailure("signalled without an outcome") }
    return outcome
  }

  /// A signal, on the loop: what the output does does not matter any more.
  func interrupted(_ receipt: CancelReceipt, _ code: ExitCode, end: (ExitCode) -> Void) {
    guard receipt.result == .cancelled else { return }
    if !writing.isSilent { Output.note("cancelled: " + receipt.described) }
    end(code)
  }

  func request(_ request: RequestInfo, didReceiveHead head: ResponseHead) {
    output.withLock { $0.receive(head) }
  }

  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) {
    output.withLock { $0.receive(chunk) }
  }

  func request(_ request: RequestInfo, didSend sent: Int64, of total: Int64) {
    progress.withLock { progress in
      if progress.done == 0 { progress.start(total: total < 0 ? nil : total) }
      progress.advance(sent - progress.done)
      if sent == total { progress.finish() }
    }
  }

  func request(_ request: RequestInfo, didReceive received: TransferProgress) {
    progress.withLock { progress in
      if progress.done == 0 { progress.start(total: received.total) }
      progress.advance(received.bytes - progress.done)
    }
  }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) {
    end(.finished(response), response)
  }

  func requestDidFail(_ request: RequestInfo, error: HttpClientError) {
    end(.failed(error), error.response)
  }

  func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt) {
    end(.cancelled(receipt), nil)
  }

  private func end(_ ended: Outcome, _ response: HttpResponse?) {
    progress.withLock { $0.finish() }
    output.withLock { output in
      if let response, response.file != nil { return }
      if let response {
        if !interests.contains(.bodyChunks) { output.receiveWhole(response) }
        output.finish()
      } else {
        output.abandon()
      }
    }
    outcome.withLock { $0 = ended }
    done.signal()
  }
}

extension BodyOutput {
  mutating func receiveWhole(_ response: HttpResponse) {
    receive(ResponseHead(version: response.version, status: response.status, reason: response.reason, headers: response.headers))
    receive(response.body)
  }
}

extension HttpClientError {
  /// For a person: the message, and what it is about.
  var described: String {
    var text = message
    if let serviceCode { text += " (the service's code: \(serviceCode))" }
    return "\(code.rawValue): \(text)"
  }
}

extension CancelReceipt {
  /// Such as `the request was sent (120 bytes written), the connection was closed`.
  var described: String { ReceiptText.describe(sent: sent.rawValue, bytesWritten: bytesWritten, connection: connection.rawValue) }
}
