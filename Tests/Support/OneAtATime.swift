internal import EventLoop
public import Testing

/// Runs the tests of a suite one after the other, and never beside those of another suite with this trait, in whatever target.
///
/// A process has one event loop: tests that use it gain nothing from running at once, and a busy one would delay the timers of others.
public struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !test.isSuite else { return try await function() }
    await Turnstile.shared.enter()
    do {
      try await function()
    } catch {
      await Turnstile.shared.leave()
      throw error
    }
    await Turnstile.shared.leave()
  }
}

extension Trait where Self == OneAtATime {
  public static var oneAtATime: OneAtATime { OneAtATime() }
}

private actor Turnstile {
  static let shared = Turnstile()
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  func leave() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
