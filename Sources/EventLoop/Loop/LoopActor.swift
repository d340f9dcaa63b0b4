/// The actor whose executor is the loop's thread: what is marked `@LoopActor` runs there and nowhere else, and the compiler
/// holds that. Calls from `@LoopActor` code to `@LoopActor` code are plain calls.
@globalActor
public actor LoopActor {
  public static let shared = LoopActor()

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.shared.asUnownedSerialExecutor()
  }
}

extension EventLoop: SerialExecutor {
  public func enqueue(_ job: consuming ExecutorJob) {
    append(.job(UnownedJob(job)))
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func checkIsolated() {
    precondition(isOnLoop, "this code belongs to the event loop's thread")
  }

  public func isIsolatingCurrentContext() -> Bool? {
    isOnLoop
  }

  /// The same for entry points that are called often: what `body` needs comes as its argument, for it captures nothing and costs no
  /// allocation then.
  @inlinable
  public static func assumeOnLoop<Argument, Result>(with argument: Argument, _ body: @escaping @LoopActor (Argument) -> Result) -> Result {
    precondition(shared.isOnLoop, "assumeOnLoop called on another thread")
    // SAFETY: isolation is part of the type, not of the representation; the precondition above is what it asserts.
    return unsafeBitCast(body, to: ((Argument) -> Result).self)(argument)
  }

  /// Runs `body` as `@LoopActor` code, for entry points that the compiler can't see are on the loop (C callbacks).
  /// Traps on any other thread.
  public static func assumeOnLoop<Result>(_ body: @LoopActor () throws -> Result) rethrows -> Result {
    precondition(shared.isOnLoop, "assumeOnLoop called on another thread")
    return try withoutActuallyEscaping(body) { escaping in
      // SAFETY: isolation is part of the type, not of the representation; the precondition above is what it asserts.
      try unsafeBitCast(escaping, to: (() throws -> Result).self)()
    }
  }
}
