import Errand
import EventLoop

/// What is asked for and how, as the options say: the request, and a client for it.
struct Target {
  let request: HttpRequest
  /// What a body must have; nil: anything.
  let bodyBytes: Int?

  init?(_ arguments: Arguments) {
    guard let url = arguments["--url"] else { return nil }
    var request = HttpRequest(url, tag: 7, key: "bench")
    request.expect = arguments.has("--json-expected") ? .json : .any
    if let name = arguments["--envelope"] {
      guard let envelope = EnvelopeProfile.shipped.first(where: { $0.name == name }) else { return nil }
      request.envelope = envelope
    }
    bodyBytes = arguments.number("--body-bytes")
    if arguments.has("--http2") { request.httpVersion = .http2 }
    if let ca = arguments["--ca"] {
      var tls = TlsSettings()
      tls.caFile = ca
      request.tls = tls
    }
    self.request = request
  }

  /// `slots`: how many requests at a time may be under way.
  func client(slots: Int) -> HttpClient {
    var configuration = HttpClient.Configuration()
    configuration.maxConnectionsPerHost = slots
    configuration.maxConnections = slots
    configuration.proxy = .none
    return HttpClient(configuration)
  }
}
