internal import Dispatch
internal import EventLoop
internal import HttpWire

/// Answers that are not the last: what is asked next, and where.
extension RequestEngine {
  /// The head of an answer came. True if something follows from it, or it can't be taken as it is.
  func takesUp(_ item: RequestItem, _ head: ResponseHead) -> Bool {
    guard head.status < 400 || head.status == 401 || head.status == 407 else { return false }
    let conversation = self.conversation(of: item)
    do throws(HttpClientError) {
      var followUp = try authentication(item, conversation, head)
      if followUp == nil { followUp = try redirect(item, conversation, head) }
      guard let followUp else { return false }
      item.followUp = followUp
      item.keepsAnswer = followUp.keepsAnswer(item.interests) || conversation.course?.stored != nil
    } catch {
      apply(item.machine.refused(error.code, .response, error.message), to: item)
    }
    return true
  }

  func conversation(of item: RequestItem) -> Conversation {
    if let conversation = item.conversation { return conversation }
    let conversation = Conversation(plain: item.info, expect: item.rules.normalizer.expect)
    item.conversation = conversation
    return conversation
  }

  /// Cookies of any answer are kept (RFC 6265bis section 5.7), also of one that leads elsewhere.
  func keepCookies(_ item: RequestItem, _ head: ResponseHead) {
    guard let jar = item.conversation.map({ $0.request.jar(configuration.cookies) }) ?? configuration.cookies,
      head.headers.contains("Set-Cookie")
    else { return }
    let conversation = self.conversation(of: item)
    guard let url = try? HttpUrl(conversation.url) else { return }
    jar.store(head.headers, from: url)
    conversation.tookCookies()
  }

  // MARK: Redirects

  private func redirect(
    _ item: RequestItem, _ conversation: Conversation, _ head: ResponseHead
  ) throws(HttpClientError) -> FollowUp? {
    let rules = item.rules
    guard head.status < 400, rules.redirects != .manual else { return nil }
    guard let url = try? HttpUrl(conversation.url) else { return nil }
    let decision = RedirectRules.decide(status: head.status, method: conversation.method, from: url, headers: head.headers)
    let target: RedirectTarget
    switch decision {
    case .notARedirect: return nil
    case .malformed(let words): throw HttpClientError(.malformedResponse, message: words)
    case .to(let place): target = place
    }
    if target.isCrossOrigin {
      if rules.redirects == .sameOrigin { return nil }
      if conversation.request.unixSocket != nil {
        throw HttpClientError(.denied, message: "the redirect leads from the Unix socket to \(target.url.hostHeader)")
      }
    }
    if target.isDowngrade, !rules.allowsInsecureRedirects {
      throw HttpClientError(
        .denied, message: "the redirect leads from https to http://\(target.url.hostHeader) (allowed by allow_insecure_redirects)")
    }
    let count = conversation.redirects.count
    if count >= rules.maxRedirects {
      throw HttpClientError(.tooManyRedirects, message: "sent on \(count) times already (limit max_redirects)")
    }
    if conversation.hasVisited(target.url.description, target.method) {
      throw HttpClientError(.tooManyRedirects, message: "the redirects go in a circle, back to \(target.url.hostHeader)")
    }
    if target.keepsBody, !item.canReplayBody {
      throw .cannotReplayBody("the redirect asks for the body again; \(StreamSource.wasSent)")
    }
    return .redirect(target)
  }

  /// The answer that leads elsewhere is whole, and its connection given up.
  func follow(_ target: RedirectTarget, _ item: RequestItem) {
    guard let conversation = item.conversation, let head = item.head else { return }
    let hop = RedirectHop(
      status: head.status, method: conversation.method, url: conversation.url, nextMethod: target.method,
      nextUrl: target.url.description)
    let next = conversation.request.redirected(to: target, asked: conversation.method)
    conversation.went(hop)
    item.add("redirect", "\(head.status) to \(target.method) \(target.url)")
    counters.redirected += 1
    guard item.interests.contains(.redirects) else { return prepare(next, for: item.info.handle) }
    let handle = item.info.handle
    let redirection = Redirection(hop, next) { [self] request in
      guard let request else { return EventLoop.shared.enqueue { [self] in stopped(handle) } }
      prepare(request, for: handle)
    }
    send(.redirect(redirection), to: item)
  }

  /// Nothing follows: the answer is the outcome after all.
  private func stopped(_ handle: RequestHandle) {
    guard let item = table[handle] else { return }
    item.conversation?.stayed()
    takeAnswer(item)
  }

  // MARK: The next exchange

  /// Makes a request's next exchange ready, off the loop: what it names may have to be read from the disk.
  nonisolated func prepare(_ request: HttpRequest, for handle: RequestHandle, with answers: AuthAnswers? = nil) {
    prepare(request, for: handle, with: answers) { [self] item, prepared in
      let conversation = self.conversation(of: item)
      conversation.took(request, prepared, attempts: item.machine.attempts)
      if conversation.auth.origin.said == .awaitsToken { return askForToken(item) }
      item.take(prepared)
      item.machine.isRepeatable = prepared.isRepeatable
      lookUp(item)
    }
  }

  /// The same for the exchange that was to come anyhow, with conditions of the cache's.
  nonisolated func prepare(
    _ request: HttpRequest, adding conditions: HttpHeaders, for handle: RequestHandle, with answers: AuthAnswers? = nil
  ) {
    var asked = request
    for (name, value) in conditions { asked.headers.append(name, value) }
    prepare(asked, for: handle, with: answers) { [self] item, prepared in
      let conversation = self.conversation(of: item)
      // Its token is another one by now, or none: what was looked up was for the one before.
      if let course = conversation.course, prepared.cacheRequest?.asker != course.request.asker { return prepare(request, for: handle) }
      conversation.asks(prepared, attempts: item.machine.attempts)
      if conversation.auth.origin.said == .awaitsToken { return askForToken(item) }
      item.take(prepared)
      ask(item)
    }
  }

  private nonisolated func prepare(
    _ request: HttpRequest, for handle: RequestHandle, with answers: AuthAnswers?,
    then body: @escaping @LoopActor @Sendable (RequestItem, PreparedRequest) -> Void
  ) {
    preparations.async { [self] in
      let result = prepared(request, with: answers)
      EventLoop.shared.enqueue { [self] in took(result, for: handle, then: body) }
    }
  }

  private func took(
    _ result: Result<PreparedRequest, HttpClientError>, for handle: RequestHandle,
    then body: @LoopActor (RequestItem, PreparedRequest) -> Void
  ) {
    guard let item = table[handle], case .preparing = item.machine.state else { return }
    switch result {
    case .success(let prepared):
      body(item, prepared)
    case .failure(let error):
      apply(item.machine.refused(error.code, error.phase ?? .request, error.message), to: item)
    }
  }
}
