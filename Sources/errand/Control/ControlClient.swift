internal import Errand
internal import Glibc
internal import HttpWire

/// Calls the daemon's API over its Unix socket and waits for the answer.
struct ControlClient: Sendable {
  let socket: String
  let client: HttpClient

  init(_ arguments: Arguments) {
    self.init(socket: SocketPath.resolve(arguments))
    Interrupt.whenAsked { exit($0.rawValue) }
  }

  init(socket: String) {
    self.socket = socket
    var configuration = HttpClient.Configuration()
    configuration.maxBodyBytes = 256 << 20
    client = HttpClient(configuration)
  }

  /// A call's request. `waits`: the answer may take as long as it takes.
  func request(
    _ method: HttpMethod, _ path: String, query: [(String, String)] = [], body: HttpBody? = nil, waits: Bool = false
  ) -> HttpRequest {
    var request = HttpRequest("http://errand" + path, method: method, body: body)
    if !query.isEmpty { request.url += "?" + FormEncoding.encode(query) }
    request.unixSocket = socket
    if waits { request.timeouts = Timeouts(firstByte: .zero, idle: .zero, total: .zero) }
    return request
  }

  /// The answer, whatever its status; throws if there is none.
  func send(_ request: HttpRequest) throws(Failure) -> HttpResponse {
    do throws(HttpClientError) {
      return try client.sendAndWait(request)
    } catch {
      if let response = error.response { return response }
      throw failure(error)
    }
  }

  /// The answer of a call that worked.
  func call(_ request: HttpRequest) throws(Failure) -> HttpResponse {
    let response = try send(request)
    guard response.status < 400 else { throw Problem(response).failure }
    return response
  }

  func json(_ request: HttpRequest) throws(Failure) -> JsonValue {
    try ControlClient.json(call(request))
  }

  static func json(_ response: HttpResponse) throws(Failure) -> JsonValue {
    do throws(JsonError) {
      return try parse(response.body)
    } catch {
      throw Failure(.failure, "the daemon's answer is not JSON: \(error)")
    }
  }

  /// What services sent is part of the daemon's JSON, and need not be as strict as the daemon's own.
  static func parse(_ bytes: [UInt8]) throws(JsonError) -> JsonValue {
    try JsonValue.parse(bytes, allowsDuplicateKeys: true)
  }

  /// Why there was no answer.
  func failure(_ error: HttpClientError) -> Failure {
    switch error.code {
    case .connect, .invalidRequest:
      SocketPath.denial(of: socket)
        ?? Failure(
          .noDaemon, "no daemon answers on \(socket): \(error.message)",
          hint: "start errandd, or say where it is with --socket or ERRAND_SOCKET")
    case .timeout: Failure(.timeout, "the daemon did not answer in time")
    default: Failure(.connectionLost, "the connection to the daemon on \(socket) failed: \(error.message)")
    }
  }
}
