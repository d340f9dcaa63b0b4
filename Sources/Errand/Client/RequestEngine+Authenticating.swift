internal import EventLoop
internal import HttpWire

/// Servers and proxies that want to know who is asking.
extension RequestEngine {
  /// What follows from the head of an answer; nil if nothing that could be said would be new.
  func authentication(
    _ item: RequestItem, _ conversation: Conversation, _ head: ResponseHead
  ) throws(HttpClientError) -> FollowUp? {
    let wasSentOnce = item.machine.attempts - conversation.auth.attemptsBefore == 1
    let step: AuthStep?
    switch head.status {
    case 401: step = challenged(item, conversation, AuthChallenge.all(in: head.headers), wasSentOnce)
    case 407: step = challengedByProxy(item, conversation, AuthChallenge.all(in: head.headers, proxy: true), wasSentOnce)
    default: step = nil
    }
    switch step {
    case nil: return nil
    // A delegate is not bothered with what could not be sent anyway.
    case .ask? where !item.canReplayBody: return nil
    case let step?:
      guard item.canReplayBody else { throw .cannotReplayBody("the answer \(head.status) asks who it is, and \(StreamSource.wasSent)") }
      return .authenticate(step)
    }
  }

  private func challenged(
    _ item: RequestItem, _ conversation: Conversation, _ challenges: [AuthChallenge], _ wasSentOnce: Bool
  ) -> AuthStep? {
    let request = conversation.request
    let challenges = answerable(challenges, conversation)
    if let credentials = request.credentials {
      if let choice = conversation.auth.origin.answer(to: challenges, with: credentials, wasSentOnce: wasSentOnce) {
        return .origin(choice)
      }
      if case .digest(let realm, _) = conversation.auth.origin.said, let url = try? HttpUrl(conversation.url) {
        preparer.authenticator.memory.forget(realm, of: AuthSpace(url), for: credentials)
      }
    } else if case .token(let token) = conversation.auth.origin.said, !conversation.auth.hasNewToken {
      return .token(rejected: token)
    }
    guard item.interests.contains(.challenges), conversation.auth.timesAsked < AuthProgress.maximumAsked else { return nil }
    return .ask(challenges)
  }

  /// Without those that want a hash of a body that is not known before it is sent.
  private func answerable(_ challenges: [AuthChallenge], _ conversation: Conversation) -> [AuthChallenge] {
    if conversation.request.canHashBody { return challenges }
    let kept = challenges.filter { DigestAuth(challenge: $0)?.needsBodyHash != true }
    if kept.count < challenges.count {
      conversation.auth.words = "the Digest of a body (auth-int) can't be made of one that is not known before it is sent"
    }
    return kept
  }

  private func challengedByProxy(
    _ item: RequestItem, _ conversation: Conversation, _ challenges: [AuthChallenge], _ wasSentOnce: Bool
  ) -> AuthStep? {
    guard case .forward(let proxy)? = item.origin.options?.proxy, let credentials = proxy.credentials.map(HttpCredentials.init) else {
      return nil
    }
    let challenges = answerable(challenges, conversation)
    if let choice = conversation.auth.proxy.answer(to: challenges, with: credentials, wasSentOnce: wasSentOnce) { return .proxy(choice) }
    if case .digest(let realm, _) = conversation.auth.proxy.said {
      preparer.authenticator.memory.forget(realm, of: AuthSpace(proxy), for: credentials)
    }
    return nil
  }

  /// The answer is whole, and its connection given up.
  func authenticate(_ step: AuthStep, _ item: RequestItem) {
    guard let conversation = item.conversation, let head = item.head else { return }
    let handle = item.info.handle
    switch step {
    case .origin(let choice):
      item.add("auth", "\(head.status), answered with \(choice.words)")
      askAgain(item, with: AuthAnswers(origin: choice))
    case .proxy(let choice):
      item.add("auth", "\(head.status) of the proxy, answered with \(choice.words)")
      askAgain(item, with: AuthAnswers(proxy: choice))
    case .token(let rejected):
      item.add("auth", "\(head.status), waits for a new token")
      askForToken(item, rejected: rejected)
    case .ask(let challenges):
      item.add("auth", "\(head.status), the delegate is asked")
      conversation.auth.waiting = "waits for its delegate to answer the challenge of \(item.origin)"
      let challenge = AuthenticationChallenge(
        url: conversation.url, method: conversation.method, challenges: challenges, previousFailures: conversation.auth.timesAsked
      ) { answer in
        EventLoop.shared.enqueue { [self] in answered(answer, challenges, handle) }
      }
      conversation.auth.timesAsked += 1
      send(.challenge(challenge), to: item)
    }
  }

  private func answered(_ reply: ChallengeAnswer, _ challenges: [AuthChallenge], _ handle: RequestHandle) {
    guard let item = table[handle], case .preparing = item.machine.state, let conversation = item.conversation else { return }
    switch reply {
    case .proceedWithout:
      takeAnswer(item)
    case .cancel:
      _ = cancel(handle)
    case .use(let credentials):
      var next = conversation.request
      next.headers.remove("Authorization")
      next.credentials = credentials
      next.tokenSource = nil
      conversation.auth.origin = AuthDialogue()
      let choice = conversation.auth.origin.answer(to: challenges, with: credentials, wasSentOnce: true)
      let first = (try? credentials.firstAuthorization()) ?? nil
      if choice == nil, first == nil, (try? credentials.check()) != nil {
        conversation.auth.words = "the server offers nothing that the delegate's credentials could answer"
        return takeAnswer(item)
      }
      prepare(next, for: handle, with: AuthAnswers(origin: choice))
    }
  }

  // MARK: Tokens

  /// Has the request go on when there is a token for it, other than the rejected one.
  func askForToken(_ item: RequestItem, rejected: String? = nil) {
    guard let conversation = item.conversation, let source = conversation.request.tokenSource, let url = try? HttpUrl(conversation.url)
    else {
      return
    }
    conversation.auth.waiting = "waits for its token source"
    let handle = item.info.handle
    let request = TokenRequest(url, service: item.rules.service, rejected: rejected)
    preparer.authenticator.tokens.token(for: request, from: source) { answer in
      EventLoop.shared.enqueue { [self] in got(answer, handle, isRenewal: rejected != nil) }
    }
  }

  private func got(_ token: TokenBroker.Answer, _ handle: RequestHandle, isRenewal: Bool) {
    guard let item = table[handle], case .preparing = item.machine.state, let conversation = item.conversation else { return }
    switch token {
    case .success(let token):
      if isRenewal { conversation.auth.hasNewToken = true }
      prepare(conversation.request, for: handle, with: AuthAnswers(token: token))
    case .failure(let failure) where isRenewal:
      conversation.auth.words = "there is no new token: \(failure.words)"
      takeAnswer(item)
    case .failure(let failure):
      apply(item.machine.refused(.denied, .request, "there is no token: \(failure.words)"), to: item)
    }
  }

  // MARK: What answers announce

  /// A nonce for the next request (RFC 7616 section 3.5).
  func readAuthenticationInfo(_ item: RequestItem, _ head: ResponseHead) {
    guard let conversation = item.conversation else { return }
    if case .digest(let realm, _) = conversation.auth.origin.said, let credentials = conversation.request.credentials,
      let info = head.headers["Authentication-Info"], let url = try? HttpUrl(conversation.url)
    {
      preparer.authenticator.memory.read(info: info, realm: realm, of: AuthSpace(url), for: credentials)
    }
    if case .digest(let realm, _) = conversation.auth.proxy.said, case .forward(let proxy)? = item.origin.options?.proxy,
      let credentials = proxy.credentials, let info = head.headers["Proxy-Authentication-Info"]
    {
      preparer.authenticator.memory.read(info: info, realm: realm, of: AuthSpace(proxy), for: HttpCredentials(credentials))
    }
  }
}
