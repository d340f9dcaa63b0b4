internal import EventLoop
internal import HttpWire

/// Keeps the tokens of sources, and asks for new ones: once, however many requests want one. Any thread.
final class TokenBroker: Sendable {
  typealias Answer = Result<String, TokenFailure>
  typealias Waiter = @Sendable (Answer) -> Void

  /// Sources, each for one origin and service, whose tokens are kept; the one that was not used for longest goes.
  static let maximumSlots = 1_024

  private struct Key: Hashable {
    let source: ObjectIdentifier
    let origin: String
    let service: String?
  }

  private struct Slot {
    /// Held, so that no other can have its identity.
    let source: any TokenSource
    var token: String?
    /// Not nil while the source is asked.
    var waiters: [Waiter]?
    /// Which of the askings is under way.
    var asking: UInt64 = 0
    var deadline: TokenDeadline?
    var lastUse: UInt64 = 0
  }

  private struct State {
    var slots: [Key: Slot] = [:]
    var uses: UInt64 = 0
  }

  /// The sources that the task is a part of asking.
  @TaskLocal private static var asked: Set<ObjectIdentifier> = []

  private let state = Locked(State())
  private let timeout: Duration

  init(timeout: Duration) {
    self.timeout = timeout
  }

  /// Whether this is called from within that source's own work on a token.
  static func isAsking(_ source: any TokenSource) -> Bool { asked.contains(ObjectIdentifier(source)) }

  /// The token that requests are sent with just now; nil if the source has to be asked.
  func current(for request: TokenRequest, from source: any TokenSource) -> String? {
    state.withLock { state in
      let key = Key(source: ObjectIdentifier(source), origin: request.origin, service: request.service)
      state.uses += 1
      state.slots[key]?.lastUse = state.uses
      return state.slots[key]?.token
    }
  }

  /// Gets a token that is not the rejected one: the current one, if it is another by now, or else the source's next. `done` is called once, on any
  /// thread, perhaps before this returns.
  func token(for request: TokenRequest, from source: any TokenSource, _ done: @escaping Waiter) {
    let key = Key(source: ObjectIdentifier(source), origin: request.origin, service: request.service)
    let (token, asking) = state.withLock { state -> (String?, UInt64?) in
      state.uses += 1
      var slot = state.slots[key] ?? Slot(source: source)
      slot.lastUse = state.uses
      defer { state.slots[key] = slot }
      if slot.waiters != nil {
        slot.waiters?.append(done)
        return (nil, nil)
      }
      if let token = slot.token, token != request.rejectedToken { return (token, nil) }
      // Nobody is to be sent with what was rejected while the next is made.
      slot.token = nil
      slot.waiters = [done]
      slot.asking = state.uses
      return (nil, slot.asking)
    }
    if let token { return done(.success(token)) }
    if let asking { ask(source, request, key, asking) }
  }

  private func ask(_ source: any TokenSource, _ request: TokenRequest, _ key: Key, _ asking: UInt64) {
    let work = Task { [self] in
      let answer = await TokenBroker.$asked.withValue(TokenBroker.asked.union([key.source])) { await TokenBroker.answer(source, request) }
      finish(key, asking, answer)
    }
    guard timeout > .zero else { return }
    let words = timeout.forPeople
    EventLoop.shared.enqueue { [self] in
      let deadline = TokenDeadline(timeout) { [self] in
        work.cancel()
        finish(key, asking, .failure(TokenFailure("it took longer than \(words) (limit token_timeout)")))
      }
      let isUnderWay = state.withLock { state in
        guard state.slots[key]?.asking == asking, state.slots[key]?.waiters != nil else { return false }
        state.slots[key]?.deadline = deadline
        return true
      }
      if !isUnderWay { deadline.stop() }
    }
  }

  private static func answer(_ source: any TokenSource, _ request: TokenRequest) async -> Answer {
    do {
      let token = try await source.token(for: request)
      guard token != request.rejectedToken else { return .failure(TokenFailure("the token source gave the rejected token again")) }
      _ = try BearerAuth.value(token: token)
      return .success(token)
    } catch let error as WireError {
      return .failure(TokenFailure(error.message))
    } catch {
      return .failure(TokenFailure(of: error))
    }
  }

  private func finish(_ key: Key, _ asking: UInt64, _ answer: Answer) {
    let (waiters, deadline) = state.withLock { state -> ([Waiter], TokenDeadline?) in
      guard var slot = state.slots[key], slot.asking == asking, let waiters = slot.waiters else { return ([], nil) }
      let deadline = slot.deadline
      slot.deadline = nil
      slot.waiters = nil
      slot.token = try? answer.get()
      state.slots[key] = slot
      if state.slots.count > TokenBroker.maximumSlots,
        let oldest = state.slots.filter({ $0.value.waiters == nil }).min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.slots[oldest.key] = nil
      }
      return (waiters, deadline)
    }
    if let deadline { EventLoop.shared.enqueue { deadline.stop() } }
    for waiter in waiters { waiter(answer) }
  }
}
