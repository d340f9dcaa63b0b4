internal import EventLoop
internal import HttpServer
internal import HttpWire

/// A call on its way to its route: who asks, for what.
@LoopActor
struct ApiCall {
  let request: ServerRequest
  let responder: Responder
  let owner: Owner
  /// What stands in the places of the pattern's `{…}`, percent-decoded.
  let parameters: [String]

  func query() throws(Problem) -> QueryReader { try QueryReader(request) }
}

/// One call of the API.
@LoopActor
protocol ApiRoute: AnyObject, Sendable {
  var methods: [HttpMethod] { get }
  /// Such as `/v1/requests/{handle}`.
  var pattern: PathPattern { get }
  /// Answers now or later, or throws what is wrong with the call.
  func answer(_ call: ApiCall) throws(Problem)
}
