import Glibc

/// A value guarded by a `pthread_mutex`, for the few places where threads meet.
///
/// `Synchronization.Mutex` would do, but ThreadSanitizer does not understand it on Linux and reports races that are none.
public final class Locked<Value>: @unchecked Sendable {
  // SAFETY: `value` is touched only in `withLock`, between lock and unlock of `mutex`, which has a stable address.
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  public init(_ value: Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value while holding the lock. Not recursive.
  public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
