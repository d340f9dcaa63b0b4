/// Sends `traceparent` with each request, so that servers can put what they do in the caller's trace (W3C Trace Context).
///
/// The request is a span of its own: a child of the `traceparent` among its headers, else of ``TraceContext/current``, else of none, in a trace
/// that begins with it. `tracestate` goes along: the request's own, or that of the current context. A `traceparent` that can't be read
/// is taken for none, and its `tracestate` with it.
public struct TracingAdapter: RequestAdapter {
  /// Whether a request without a context begins a trace. Default: true; else it is sent without `traceparent`.
  public var beginsTraces: Bool

  public init(beginsTraces: Bool = true) {
    self.beginsTraces = beginsTraces
  }

  public func adapt(_ request: inout HttpRequest) {
    let states = request.headers.values("tracestate").joined(separator: ",")
    let own = request.headers["traceparent"].flatMap { TraceContext($0, state: states) }
    let context: TraceContext
    if let parent = own ?? TraceContext.current {
      context = parent.child()
    } else if beginsTraces {
      context = TraceContext()
    } else {
      request.headers.remove("traceparent")
      return request.headers.remove("tracestate")
    }
    request.headers.set("traceparent", context.description)
    if let state = context.state { request.headers.set("tracestate", state) } else { request.headers.remove("tracestate") }
  }
}
