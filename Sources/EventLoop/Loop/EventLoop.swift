internal import CLibevent
import Glibc
import Synchronization

/// The process's libevent loop and the one thread that runs it. The thread starts at the first use of ``shared``.
///
/// A turn of the loop is: callbacks of ready sockets, timers and signals; then what other threads enqueued; then what was
/// put off to the end of the turn. Nothing on the loop may block.
public final class EventLoop: Sendable {
  public static let shared = EventLoop()

  enum Work {
    case job(UnownedJob)
    case body(@LoopActor @Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var isWakePending = false
    var isStopped = false
  }

  private let inbox = Locked(Inbox())
  let wakeDescriptor: Int32
  private let loopThread = Atomic<UInt>(0)
  private let isStopping = Atomic<Bool>(false)

  @LoopActor private var endOfTurn: [@LoopActor () -> Void] = []
  @LoopActor private var spareWork: [Work] = []
  @LoopActor var base: OpaquePointer?
  @LoopActor var watches = WatchTable()
  @LoopActor var timers = TimerWheel()
  @LoopActor var signals: [Int32: SignalHandler] = [:]
  @LoopActor private var sharedReadBuffer: UnsafeMutableRawBufferPointer?
  @LoopActor private var callbackBegan: Instant?
  /// Counts the times that the kernel was asked what is ready: what is told in one turn was ready before the turn's first callback.
  @LoopActor public private(set) var turn: UInt32 = 0

  private init() {
    wakeDescriptor = eventfd(0, errand_efd_flags())
    precondition(wakeDescriptor >= 0, "eventfd: no file descriptor left for the event loop")
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    let failure = pthread_create(&thread, &attributes, { _ in EventLoop.runThread() }, nil)
    pthread_attr_destroy(&attributes)
    precondition(failure == 0, "pthread_create: no thread for the event loop")
    // Set here too: code that asks before the thread has run its first line must get the right answer.
    loopThread.store(UInt(thread), ordering: .sequentiallyConsistent)
  }

  // MARK: From any thread

  /// Whether the caller is on the loop's thread.
  public var isOnLoop: Bool {
    loopThread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// Runs `body` on the loop, after what was enqueued before it. Many calls between two turns cost one wake-up.
  /// After ``stop()`` it does nothing.
  public func enqueue(_ body: @escaping @LoopActor @Sendable () -> Void) {
    append(.body(body))
  }

  func append(_ work: Work) {
    let isOnLoop = self.isOnLoop
    let wakes = inbox.withLock { inbox -> Bool in
      guard !inbox.isStopped else { return false }
      inbox.work.append(work)
      // The loop looks into the inbox before it sleeps, so its own additions need no wake-up.
      guard !isOnLoop, !inbox.isWakePending else { return false }
      inbox.isWakePending = true
      return true
    }
    if wakes { eventfd_write(wakeDescriptor, 1) }
  }

  /// Ends the loop after the work already enqueued, and waits for its thread. The loop can't be started again.
  /// Must not be called on the loop.
  public func stop() {
    precondition(!isOnLoop, "the event loop can't wait for its own end")
    guard !isStopping.exchange(true, ordering: .sequentiallyConsistent) else { return }
    enqueue {}
    pthread_join(pthread_t(loopThread.load(ordering: .sequentiallyConsistent)), nil)
  }

  // MARK: On the loop

  /// The moment at which the current callback first asked for it: one clock reading for all that a callback stamps and schedules.
  @LoopActor public var now: Instant {
    if let callbackBegan { return callbackBegan }
    let now = Instant.now()
    callbackBegan = now
    return now
  }

  /// A new callback begins.
  @LoopActor func forgetNow() {
    callbackBegan = nil
  }

  /// Runs `body` once, at the end of this turn, after all of the turn's events: the place to flush what can be batched.
  @LoopActor public func atEndOfTurn(_ body: @escaping @LoopActor () -> Void) {
    endOfTurn.append(body)
  }

  /// One buffer of 256 KiB for all reads of the loop. Valid until the current callback returns.
  @LoopActor public var readBuffer: UnsafeMutableRawBufferPointer {
    if let sharedReadBuffer { return sharedReadBuffer }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 64)
    sharedReadBuffer = buffer
    return buffer
  }

  private static func runThread() -> UnsafeMutableRawPointer? {
    errand_name_thread("errand-loop")
    shared.loopThread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
    assumeOnLoop { shared.run() }
    return nil
  }

  @LoopActor private func run() {
    let configuration = event_config_new()
    // Only this thread touches the base: other threads come in through the inbox.
    event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
    base = event_base_new_with_config(configuration)
    event_config_free(configuration)
    precondition(base != nil, "libevent: no event base")
    let wake = event_new(base, wakeDescriptor, Int16(EV_READ | EV_PERSIST), { descriptor, _, _ in wakeRead(descriptor) }, nil)
    event_add(wake, nil)

    while true {
      let isIdle = runInbox() && endOfTurn.isEmpty
      if isStopping.load(ordering: .relaxed), isIdle { break }
      turn &+= 1
      event_base_loop(base, isIdle ? EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY : EVLOOP_ONCE | EVLOOP_NONBLOCK)
      _ = runInbox()
      runEndOfTurn()
    }

    inbox.withLock { $0.isStopped = true }
    event_free(wake)
    // Targets that are let go of here may come back to the tables.
    var (oldWatches, oldTimers) = (watches, timers)
    (watches, timers) = (WatchTable(), TimerWheel())
    oldWatches.freeAll()
    oldTimers.freeAll()
    for handler in signals.values { event_free(handler.event) }
    signals = [:]
    event_base_free(base)
    base = nil
    sharedReadBuffer?.deallocate()
    sharedReadBuffer = nil
  }

  /// Runs what was enqueued before this call. True if nothing came in meanwhile.
  @LoopActor private func runInbox() -> Bool {
    var batch = spareWork
    spareWork = []
    inbox.withLock { inbox in
      swap(&batch, &inbox.work)
      inbox.isWakePending = false
    }
    for work in batch {
      callbackBegan = nil
      switch work {
      case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
      case .body(let body): body()
      }
    }
    let wasEmpty = batch.isEmpty
    batch.removeAll(keepingCapacity: batch.count <= 1_024)
    spareWork = batch
    return wasEmpty
  }

  @LoopActor private func runEndOfTurn() {
    guard !endOfTurn.isEmpty else { return }
    let bodies = endOfTurn
    endOfTurn.removeAll(keepingCapacity: true)
    callbackBegan = nil
    for body in bodies { body() }
  }
}

/// Ends the life of what a table gave back, after the access to that table.
@inline(never)
func letGo(_ target: consuming AnyObject?) {}

private func wakeRead(_ descriptor: Int32) {
  var value: eventfd_t = 0
  _ = eventfd_read(descriptor, &value)
}
