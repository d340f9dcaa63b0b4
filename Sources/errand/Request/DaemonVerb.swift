internal import Dispatch
internal import Errand
internal import EventLoop
internal import HttpWire

/// Runs a request through the daemon and writes its response, as `DirectRun` does in this process.
enum DaemonVerb {
  /// Whose mailbox the outcomes of this command line go to: it acknowledges them when they are printed.
  static let delegate = "errand-cli"

  /// nil if this process is to make the request: no daemon answers on the socket, it would not take so large a request, or the body is
  /// larger than it keeps in memory and asking again does no harm.
  static func run(_ spec: RequestSpec, _ writing: ResponseWriting, _ control: ControlClient) throws(Failure) -> ExitCode? {
    if spec.needsOwnProcess {
      if writing.isVerbose { Output.note("files and cookies of this command are for this process: the request is made here") }
      return nil
    }
    var json = try spec.submission()
    json["delegate"] = .string(delegate)
    let event: JsonValue
    do throws(Failure) {
      guard let outcome = try DaemonRun.outcome(of: json, control, within: nil, isSilent: writing.isSilent) else { return .timeout }
      event = outcome
    } catch {
      guard error.code == .noDaemon || error.obstacle != nil else { throw error }
      noteOwnProcess(because: error, writing, control)
      return nil
    }
    if writing.isVerbose { note(event, control) }
    let isTooLarge = event["error"]?["code"] == "too_large"
    if isTooLarge, spec.method?.isSafe ?? true {
      acknowledge(event, control)
      if !writing.isSilent { Output.note("the body is larger than the daemon keeps: the request is made again, in this process") }
      return nil
    }
    if event["status"] != nil { try write(event, writing, control) }
    acknowledge(event, control)
    let code = DaemonRun.exitCode(of: event)
    switch event["type"]?.string {
    case "finished": return .ok
    case "failed":
      if code == .httpStatus, !writing.judgesStatus { return .ok }
      throw Failure(code, describe(event["error"]), hint: isTooLarge ? "with --direct there is no such limit" : nil)
    default:
      throw Failure(.failure, "cancelled by another: request \(event["handle"]?.string ?? "")")
    }
  }

  /// Nothing was sent: the request is made here, whatever its method.
  private static func noteOwnProcess(because failure: Failure, _ writing: ResponseWriting, _ control: ControlClient) {
    let goesOn = "the request is made in this process"
    switch failure.obstacle {
    case .accessDenied, .tooLarge:
      if !writing.isSilent { Output.note("\(failure.message): \(goesOn)") }
    case nil:
      if writing.isVerbose { Output.note("no daemon on \(control.socket): \(goesOn)") }
    }
  }

  private static func write(_ event: JsonValue, _ writing: ResponseWriting, _ control: ControlClient) throws(Failure) {
    var output = BodyOutput(writing, mayBeRetried: false)
    output.receive(head(event))
    if let text = event["body"]?.string {
      output.receive(Array(text.utf8))
    } else if let bytes = event["body_base64"]?.string.flatMap(Base64.decode) {
      output.receive(bytes)
    } else if event["data"] != nil || event["body_bytes"] != nil, let handle = event["handle"]?.string {
      // What was decoded is not byte for byte what came.
      let receiver = BodyReceiver(output)
      control.client.submit(control.request(.get, HandlePath.of(handle, "/body"), waits: true), delegate: receiver)
      output = try receiver.wait(control)
    }
    output.finish()
  }

  private static func head(_ event: JsonValue) -> ResponseHead {
    var headers = HttpHeaders()
    for pair in event["headers"]?.array ?? [] {
      if let name = pair[0]?.string, let value = pair[1]?.string { headers.append(name, value) }
    }
    let version = version(event)
    return ResponseHead(version: version, status: Int(event["status"]?.int ?? 0), headers: headers)
  }

  private static func version(_ event: JsonValue) -> HttpVersion {
    switch event["http_version"]?.string {
    case "1.0": .http10
    case "2": .http2
    default: .http11
    }
  }

  private static func note(_ event: JsonValue, _ control: ControlClient) {
    let timings = event["timings"]
    let names = [
      ("queue", "queue_us"), ("dns", "dns_us"), ("connect", "connect_us"), ("tls", "tls_us"), ("first byte", "first_byte_us"),
      ("total", "total_us"),
    ]
    Output.note("request \(event["handle"]?.string ?? "-") of the daemon on \(control.socket)")
    Timeline.note(
      names.map { ($0.0, timings?[$0.1]?.int) }, attempts: Int(event["attempts"]?.int ?? 1), status: event["status"]?.int.map(Int.init),
      version: event["http_version"].map { _ in version(event).description })
  }

  static func describe(_ error: JsonValue?) -> String {
    let code = error?["code"]?.string ?? "failed"
    let message = error?["message"]?.string ?? ""
    return "\(code): \(message)" + (error?["service_code"]?.string.map { " (the service's code: \($0))" } ?? "")
  }

  /// The daemon need not keep what was printed. If it does, it is no harm.
  private static func acknowledge(_ event: JsonValue, _ control: ControlClient) {
    guard let seq = event["seq"]?.int else { return }
    let body = HttpBody.json(Array("{\"through\":\(seq)}".utf8))
    _ = try? control.send(control.request(.post, "/v1/delegates/\(delegate)/ack", body: body))
  }
}

/// Writes a kept body as it comes.
private final class BodyReceiver: HttpClientDelegate {
  let interests: RequestInterests = [.bodyChunks]
  private let output: Locked<BodyOutput>
  private let failure = Locked<HttpClientError?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ output: BodyOutput) {
    self.output = Locked(output)
  }

  func wait(_ control: ControlClient) throws(Failure) -> BodyOutput {
    done.wait()
    guard let error = failure.withLock({ $0 }) else { return output.withLock { $0 } }
    if error.code == .httpStatus { throw Failure(.failure, "the daemon no longer keeps the body (\(error.message))") }
    throw control.failure(error)
  }

  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) {
    output.withLock { $0.receive(chunk) }
  }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) {
    done.signal()
  }

  func requestDidFail(_ request: RequestInfo, error: HttpClientError) {
    failure.withLock { $0 = error }
    done.signal()
  }
}
