public import EventLoop
public import HttpWire

/// What a handler says about a request whose head has come.
public enum HandlerDecision: Sendable {
  /// It answers this request.
  case handles
  /// It knows nothing of this path.
  case notMine
  /// It knows the path, but only under these methods: the answer is 405 with them in `Allow`, if no other handler handles the request.
  case wrongMethod(allow: [HttpMethod])
}

/// Answers some of a server's requests.
@LoopActor
public protocol ResponseHandler: AnyObject, Sendable {
  /// Handlers with a higher priority are asked first, those with the same in the order of their registration. Default: 0.
  var priority: Int { get }

  /// Whether ``handle(_:_:)`` is called when the head has come, with the body told in pieces through ``ServerRequest/onBody``.
  /// Default: false, it is called when the whole body is there.
  var wantsStreamedBody: Bool { get }

  /// Asked once for each request, when its head has come. `path` is the target up to `?`, byte for byte.
  func decision(for head: RequestHead, path: String) -> HandlerDecision

  /// Answers through `responder`, now or later. Runs on the loop: it must not block.
  func handle(_ request: ServerRequest, _ responder: Responder)
}

extension ResponseHandler {
  public var priority: Int { 0 }
  public var wantsStreamedBody: Bool { false }
}

/// A handler made of a closure, for a few routes or a test.
@LoopActor
public final class ClosureHandler: ResponseHandler {
  public let priority: Int
  public let wantsStreamedBody: Bool
  private let path: String?
  private let methods: [HttpMethod]
  private let body: (ServerRequest, Responder) -> Void

  /// Answers requests to `path` (nil: any) with one of `methods` (none given: any).
  public init(
    path: String? = nil, methods: [HttpMethod] = [], priority: Int = 0, wantsStreamedBody: Bool = false,
    _ body: @escaping @LoopActor (ServerRequest, Responder) -> Void
  ) {
    self.path = path
    self.methods = methods
    self.priority = priority
    self.wantsStreamedBody = wantsStreamedBody
    self.body = body
  }

  public func decision(for head: RequestHead, path: String) -> HandlerDecision {
    if let wanted = self.path, wanted != path { return .notMine }
    return methods.isEmpty || methods.contains(head.method) ? .handles : .wrongMethod(allow: methods)
  }

  public func handle(_ request: ServerRequest, _ responder: Responder) {
    body(request, responder)
  }
}
