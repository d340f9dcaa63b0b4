internal import EventLoop
internal import HttpServer
internal import HttpWire

/// Puts a route behind the server: checks who asks, and turns what is wrong into problem details.
@LoopActor
final class ApiHandler: ResponseHandler {
  private let route: any ApiRoute
  private let core: DaemonCore
  private let methods: [HttpMethod]
  private let pattern: PathPattern

  init(_ route: any ApiRoute, _ core: DaemonCore) {
    self.route = route
    self.core = core
    methods = route.methods
    pattern = route.pattern
  }

  func decision(for head: RequestHead, path: String) -> HandlerDecision {
    guard pattern.matches(path) else { return .notMine }
    return methods.contains(head.method) ? .handles : .wrongMethod(allow: methods)
  }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    do throws(Problem) {
      let owner = try core.access.owner(of: request)
      let parameters: [String]
      do throws(WireError) {
        parameters = try pattern.parameters(request.path)
      } catch {
        throw Problem(kind: "invalid_value", status: 400, title: "Invalid value", detail: error.message, place: "path")
      }
      try route.answer(ApiCall(request: request, responder: responder, owner: owner, parameters: parameters))
    } catch {
      responder.problem(error)
    }
  }
}

/// What no route knows.
@LoopActor
final class UnknownPathHandler: ResponseHandler {
  let priority = -1
  private let patterns: [PathPattern]
  private let core: DaemonCore

  init(_ patterns: [PathPattern], _ core: DaemonCore) {
    self.patterns = patterns
    self.core = core
  }

  func decision(for head: RequestHead, path: String) -> HandlerDecision {
    // A path that is known under another method is answered with 405 by the server.
    patterns.contains { $0.matches(path) } ? .notMine : .handles
  }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    do throws(Problem) {
      _ = try core.access.owner(of: request)
      throw Problem.notFound(request.path)
    } catch {
      responder.problem(error)
    }
  }
}
