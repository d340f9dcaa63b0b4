internal import EventLoop

extension HttpClient {
  /// Makes a request and waits for the head of its response; the body comes as it is taken: see ``StreamedBody``. It is not limited
  /// by ``RequestOptions/maxBodyBytes``, and not judged as JSON. Redirects and retries are as ever, but nothing is sent again once the head is there.
  ///
  /// A failing status is thrown, with its body in `error.response`, as far as the limit of bodies goes. A total timeout, of which there
  /// is none by default, runs until the body's end; the idle timeout guards it.
  /// Cancelling the task cancels the request, and this then throws `cancelled`.
  public func stream(_ request: HttpRequest) async throws(HttpClientError) -> StreamedResponse {
    let handle = newHandle()
    let engine = self.engine
    let buffer = ResponseBuffer { buffer in
      EventLoop.shared.enqueue { engine.hasRoom(buffer, handle) }
    }
    let lease = StreamLease(engine, handle, buffer)
    engine.inbox.add(engine.prepare(request, handle: handle, sink: .stream(buffer), at: .now()), for: engine)
    return StreamedResponse(try await lease.beginning(), lease)
  }
}
