internal import Dispatch
internal import Errand
internal import EventLoop
internal import Glibc
internal import HttpWire

/// Has the daemon make a request, and waits for its outcome.
enum DaemonRun {
  /// How long one call waits; then the next one does.
  private static let waitSeconds: Int64 = 30
  /// The submitting call's own wait is short: only its answer tells the handle, which cancelling needs.
  private static let firstWait = Duration.milliseconds(500)

  /// The handle.
  static func submit(_ json: JsonObject, _ control: ControlClient) throws(Failure) -> String {
    try handle(control.json(control.request(.post, "/v1/requests", body: body(json))))
  }

  /// The outcome's event; nil if there is none within the limit. A signal to end cancels the request.
  static func outcome(
    of json: JsonObject, _ control: ControlClient, within limit: Duration?, isSilent: Bool = false
  ) throws(Failure) -> JsonValue? {
    let interrupt = InterruptedWait(control, isSilent: isSilent)
    let began = Instant.now()
    func left() -> Duration? { limit.map { max(.zero, $0 - began.duration(to: .now())) } }
    let first = min(firstWait, left() ?? firstWait)
    let submitted = try control.call(
      control.request(.post, "/v1/requests", query: [("wait", seconds(first))], body: body(json), waits: true))
    var answer = try ControlClient.json(submitted)
    let handle = try handle(answer)
    interrupt.knows(handle)
    while isRunning(answer) {
      let next = min(.seconds(waitSeconds), left() ?? .seconds(waitSeconds))
      guard next > .zero else { return nil }
      answer = try control.json(control.request(.get, HandlePath.of(handle), query: [("wait", seconds(next))], waits: true))
    }
    if answer["type"] == "cancelled" { interrupt.awaitReceiptIfAsked() }
    return answer
  }

  static func exitCode(of event: JsonValue) -> ExitCode {
    switch event["type"]?.string {
    case "finished": .ok
    case "failed": ExitCode(errorCode: event["error"]?["code"]?.string ?? "")
    default: .failure
    }
  }

  private static func isRunning(_ answer: JsonValue) -> Bool { answer["type"] == nil }

  private static func body(_ json: JsonObject) -> HttpBody { .json(Array(JsonValue.object(json).description.utf8)) }

  private static func handle(_ answer: JsonValue) throws(Failure) -> String {
    guard let handle = answer["handle"]?.string else { throw Failure(.failure, "the daemon's answer has no handle") }
    return handle
  }

  private static func seconds(_ duration: Duration) -> String {
    let parts = duration.components
    let milliseconds = parts.attoseconds / 1_000_000_000_000_000
    return "\(parts.seconds)." + String(1_000 + milliseconds).dropFirst()
  }
}

/// A signal to end while the daemon works: cancels there, as soon as the handle is known, and ends the process with the receipt.
private final class InterruptedWait: Sendable {
  private struct State {
    var handle: String?
    /// The exit code, once a signal has come.
    var asked: ExitCode?
    /// The outcome came first.
    var isTooLate = false
  }

  /// How long the daemon has for the receipt.
  private static let patience = DispatchTimeInterval.seconds(5)

  private let control: ControlClient
  private let isSilent: Bool
  private let state = Locked(State())

  init(_ control: ControlClient, isSilent: Bool) {
    self.control = control
    self.isSilent = isSilent
    Interrupt.whenAsked { self.asked($0) }
  }

  func knows(_ handle: String) {
    let asked = state.withLock { state in
      state.handle = handle
      return state.asked
    }
    if let asked { cancel(handle, asked) }
  }

  /// The outcome of a request that was cancelled here may come before the receipt: it is the receipt that ends the process then.
  func awaitReceiptIfAsked() {
    guard let code = state.withLock({ $0.asked }) else { return }
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + InterruptedWait.patience)
    exit(code.rawValue)
  }

  private func asked(_ code: ExitCode) {
    let handle = state.withLock { state in
      state.asked = code
      return state.handle
    }
    if let handle { cancel(handle, code) }
    DispatchQueue.global().asyncAfter(deadline: .now() + InterruptedWait.patience) { [state, isSilent] in
      let now = state.withLock { $0 }
      guard !now.isTooLate else { return }
      if !isSilent { Output.note("the daemon does not answer: \(now.handle.map { "request \($0)" } ?? "the request") may go on there") }
      exit(code.rawValue)
    }
  }

  private func cancel(_ handle: String, _ code: ExitCode) {
    control.client.submit(control.request(.delete, HandlePath.of(handle))) { [isSilent, state] result in
      guard case .success(let response) = result, let receipt = try? ControlClient.parse(response.body) else {
        Output.note("request \(handle) could not be cancelled")
        exit(code.rawValue)
      }
      let words = ReceiptText.describe(
        sent: receipt["sent"]?.string, bytesWritten: receipt["bytes_written"]?.int, connection: receipt["connection"]?.string)
      // Too late: the outcome is on its way to the person.
      guard receipt["result"]?.string == "cancelled" else { return state.withLock { $0.isTooLate = true } }
      if !isSilent { Output.note("cancelled \(handle): \(words)") }
      exit(code.rawValue)
    }
  }
}
