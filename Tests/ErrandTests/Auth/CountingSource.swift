import EventLoop

@testable import Errand

/// Gives `t1`, `t2`, … or what it is told, and keeps what it was asked.
final class CountingSource: TokenSource {
  private struct State {
    var count = 0
    var error: (any Error)?
    var isHeld: Bool
    var held: [CheckedContinuation<Void, Never>] = []
    var whileAsked: (@Sendable () -> Bool)?
    var work: (@Sendable (TokenRequest) async throws -> Void)?
  }

  let asked = Record<TokenRequest>("what a token source was asked")
  let given = Record<String>("tokens given")
  let checks = Record<Bool>("checks within a token source")
  private let state: Locked<State>
  private let gives: String?

  /// `holds`: answers only after `open()`.
  init(gives: String? = nil, holds: Bool = false) {
    self.gives = gives
    state = Locked(State(isHeld: holds))
  }

  func fail(with error: (any Error)?) { state.withLock { $0.error = error } }

  var whileAsked: (@Sendable () -> Bool)? {
    get { state.withLock { $0.whileAsked } }
    set { state.withLock { $0.whileAsked = newValue } }
  }

  /// Done before each answer.
  func work(_ work: (@Sendable (TokenRequest) async throws -> Void)?) { state.withLock { $0.work = work } }

  func hold() { state.withLock { $0.isHeld = true } }

  func open() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  func token(for request: TokenRequest) async throws -> String {
    let (count, error, check, work) = state.withLock { state in
      state.count += 1
      return (state.count, state.error, state.whileAsked, state.work)
    }
    asked.add(request)
    if let check { checks.add(check()) }
    try await work?(request)
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.held.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    if let error { throw error }
    given.add(gives ?? "t\(count)")
    return gives ?? "t\(count)"
  }
}
