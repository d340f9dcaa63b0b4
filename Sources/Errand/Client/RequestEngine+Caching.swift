internal import Dispatch
internal import EventLoop
internal import Glibc
internal import HttpWire

/// Requests that may be answered from the cache, and answers that go there. What may be kept and used, ``CacheRules`` says.
extension RequestEngine {
  private static var wallClock: Int64 { Int64(time(nil)) }

  // MARK: Before an exchange

  /// Looks up what is stored for a request that is not sent yet; asks the server where the rules say so.
  func lookUp(_ item: RequestItem) {
    if item.download == nil, looksForFile(item) { return }
    guard let cache = configuration.cache, let conversation = item.conversation, let request = conversation.cacheRequest,
      let url = try? HttpUrl(conversation.url)
    else { return ask(item) }
    let policy = conversation.request.cache ?? configuration.cachePolicy
    let course = CacheCourse(key(of: url, item, request.asker), request, policy)
    conversation.course = course
    switch cache.lookup(course.key, request.headers) {
    case .memory(let entry): decide(item, course, entry)
    case .none(let why): decide(item, course, nil, missing: why)
    case .onDisk(let ticket):
      let handle = item.info.handle
      cache.load(ticket) { [self] entry in
        // It may have been cancelled meanwhile.
        guard let item = table[handle], case .preparing = item.machine.state, item.conversation?.course === course else { return }
        decide(item, course, entry)
      }
    }
  }

  private func key(of url: HttpUrl, _ item: RequestItem, _ asker: CacheAsker = .nobody) -> CacheKey {
    CacheKey(url, partition: item.info.owner ?? "", place: item.conversation?.request.unixSocket ?? "", asker: asker)
  }

  private func decide(_ item: RequestItem, _ course: CacheCourse, _ entry: CacheEntry?, missing: CacheForward = .miss) {
    let now = RequestEngine.wallClock
    course.entry = entry
    let decision = CacheRules.decide(course.request, entry: entry, missing: missing, policy: course.policy, now: now)
    switch (decision, entry) {
    case (.useFresh(let age), let entry?), (.useStale(let age), let entry?):
      answer(item, entry, age: age, .hit(timeToLive: CacheRules.timeToLive(entry, now: now)))
    case (.useStaleAndRevalidate(let age, _), let entry?):
      refresh(item, course)
      answer(item, entry, age: age, .hit(timeToLive: CacheRules.timeToLive(entry, now: now)))
    case (.revalidate(let conditions, let why), _):
      course.forward = why
      course.conditions = conditions
      askAgain(item)
    case (.fetch(let why), _):
      course.forward = why
      ask(item)
    case (.gatewayTimeout, _), (.useFresh, nil), (.useStale, nil), (.useStaleAndRevalidate, nil):
      item.head = ResponseHead(status: 504, headers: [CacheStatus.fieldName: CacheStatus.onlyIfCached.description])
      takeAnswer(item)
    }
  }

  /// Nothing stored answers it: it goes to the server.
  func ask(_ item: RequestItem) {
    if isUsedUp(item) { return askAgain(item) }
    item.conversation?.course?.requestTime = RequestEngine.wallClock
    apply(item.machine.prepared(isRepeatable: item.machine.isRepeatable), to: item)
  }

  /// It was sent as it is, and may not be so again.
  func isUsedUp(_ item: RequestItem) -> Bool { item.conversation?.auth.isUsedUp(after: item.machine.attempts) ?? false }

  /// Asks the same, with the cache's conditions, and with what is to be said now about who is asking.
  func askAgain(_ item: RequestItem, with answers: AuthAnswers? = nil) {
    guard let conversation = item.conversation else { return ask(item) }
    prepare(conversation.request, adding: conversation.course?.conditions ?? [:], for: item.info.handle, with: answers)
  }

  /// Answers with what is stored; it may send elsewhere.
  func answer(_ item: RequestItem, _ entry: CacheEntry, age: Int64?, _ status: CacheStatus) {
    take(entry, age: age, status, into: item)
    guard let head = item.head else { return }
    if entry.status >= 300, takesUp(item, head) {
      if case .redirect(let target) = item.followUp { follow(target, item) }
      return
    }
    if item.received.count > item.rules.maxBodyBytes {
      let limit = item.rules.maxBodyBytes
      return apply(item.machine.refused(.tooLarge, .response, "the body is larger than \(limit) bytes (limit max_body_bytes)"), to: item)
    }
    counters.cacheHits += 1
    takeAnswer(item, isCoded: false)
  }

  private func take(_ entry: CacheEntry, age: Int64?, _ status: CacheStatus, into item: RequestItem) {
    item.forgetResponse()
    item.head = ResponseHead(status: entry.status, reason: entry.reason, headers: CacheRules.headers(of: entry, age: age, status: status))
    if entry.isDecoded { item.conversation?.course?.encodedByteCount = entry.headers["Content-Length"].flatMap { Int64($0) } ?? 0 }
    item.received = item.method == .head ? [] : entry.body
    item.stamps.head = EventLoop.shared.now
  }

  /// Asks the server behind the back of a request that was answered with what is stale (RFC 5861 section 3).
  private func refresh(_ item: RequestItem, _ course: CacheCourse) {
    guard !isShutDown, let cache = configuration.cache, var request = item.conversation?.request, cache.beginRefresh(course.key) else {
      return
    }
    request.cache = .revalidate
    request.tag = nil
    request.key = nil
    request.delegateName = nil
    let (refresh, key) = (request, course.key)
    preparations.async { [self] in
      inbox.add(prepare(refresh, handle: newHandle(), sink: .waiter { _ in cache.endRefresh(key) }, at: .now()), for: self)
    }
  }

  // MARK: When an answer comes

  /// The head of an answer came. True if what is stored is the answer, or the server is asked once more.
  func isAnsweredByCache(_ item: RequestItem, _ head: ResponseHead) -> Bool {
    guard let cache = configuration.cache else { return false }
    guard let conversation = item.conversation, let course = conversation.course else {
      invalidate(cache, item, head)
      return false
    }
    course.responseTime = RequestEngine.wallClock
    let answer = CacheRules.receive(
      status: head.status, headers: head.headers, for: course.request, entry: course.entry, policy: course.policy,
      requestTime: course.requestTime, now: course.responseTime)
    switch answer {
    case .notModified(let entry, let keeps):
      let isStored = keeps && cache.update(entry, for: course.key)
      if !keeps { cache.remove(entry, for: course.key) }
      item.followUp = .stored(entry, age: nil, .forward(course.forward, status: head.status, isStored: isStored))
      return true
    case .fetchAgain:
      if let entry = course.entry { cache.remove(entry, for: course.key) }
      course.entry = nil
      course.conditions = [:]
      item.followUp = .fetchAgain
      return true
    case .standIn(let age):
      guard let entry = course.entry else { return false }
      item.followUp = .stored(entry, age: age, .forward(course.forward, status: head.status))
      return true
    case .pass(let stores, let drops):
      if drops, let entry = course.entry { cache.remove(entry, for: course.key) }
      course.stored = stores && !item.streamsBody ? head : nil
      // Whether it comes to be stored shows at its end.
      item.head?.headers.append(CacheStatus.fieldName, CacheStatus.forward(course.forward, status: head.status).description)
      invalidate(cache, item, head)
      return false
    }
  }

  private func invalidate(_ cache: HttpCache, _ item: RequestItem, _ head: ResponseHead) {
    let method = item.method
    guard method != .get, method != .head, let url = try? HttpUrl(item.conversation?.url ?? item.info.url) else { return }
    for url in CacheRules.invalidated(by: method, of: url, status: head.status, headers: head.headers) {
      cache.invalidate(key(of: url, item))
    }
  }

  /// The answer is whole: it is stored, where the rules wanted that.
  func storeAnswer(_ item: RequestItem) {
    // One that ended with its connection may have been cut.
    guard let cache = configuration.cache, let course = item.conversation?.course, let head = course.stored, !item.lengthUnknown else {
      return
    }
    course.stored = nil
    // That of one that leads elsewhere is not decoded.
    let isDecoded = item.decoding != nil
    if item.isFollowedUp, head.headers.contains("Content-Encoding") { return }
    let entry = CacheEntry(
      status: head.status, reason: head.reason, headers: head.headers, body: item.received, isDecoded: isDecoded,
      requestTime: course.requestTime,
      responseTime: course.responseTime, to: course.request)
    guard let entry, cache.store(entry, for: course.key) else { return }
    item.head = head
    item.head?.headers.append(
      CacheStatus.fieldName, CacheStatus.forward(course.forward, status: head.status, isStored: true).description)
  }

  /// No answer came. True if a stored one stands in for it (RFC 5861 section 4).
  func isStoodInFor(_ item: RequestItem, _ code: HttpClientError.Code) -> Bool {
    guard let course = item.conversation?.course, let entry = course.entry else { return false }
    guard [.dns, .connect, .tls, .timeout, .connectionLost, .truncated, .malformedResponse].contains(code) else { return false }
    // What a delegate has been told of another answer can't be taken back.
    if item.head != nil, item.taker != nil || !item.interests.isDisjoint(with: [.head, .bodyChunks]) { return false }
    let now = RequestEngine.wallClock
    guard let age = CacheRules.standIn(entry, for: course.request, policy: course.policy, status: nil, now: now) else { return false }
    take(entry, age: age, .forward(course.forward, status: nil), into: item)
    counters.cacheHits += 1
    return true
  }
}
