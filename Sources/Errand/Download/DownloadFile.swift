internal import Dispatch
internal import EventLoop
internal import Synchronization

/// A download's file as the loop sees it: what is asked of it is done in order, on a queue of its own.
final class DownloadFile: Sendable {
  // Not one queue for all: a slow disk must not hold up the others. Of the pool whose threads are bounded.
  private let queue = DispatchQueue(label: "errand.download", target: .global())
  // The lock is the queue's alone; it never waits.
  private let state: Locked<State>
  private let isUnwanted = Atomic<Bool>(false)
  /// What came is written even if it was given up meanwhile: a later request goes on with it.
  private let keepsParts: Bool

  private struct State {
    var file: PartialFile
    var failure: HttpClientError?
  }

  init(_ download: Download) {
    state = Locked(State(file: PartialFile(download)))
    keepsParts = download.resumes
  }

  /// Has `work` done, and tells the loop what came of it. After a failure nothing is done any more: a piece may be missing. Nor is it once the file was
  /// given up, but for what `adds` to a part that is kept.
  func run<Value: Sendable>(
    adds: Bool = false,
    _ work: @escaping @Sendable (inout PartialFile, _ isUnwanted: () -> Bool) throws(HttpClientError) -> Value,
    then: @escaping @LoopActor @Sendable (Result<Value, HttpClientError>) -> Void
  ) {
    queue.async { [self] in
      let isUnwanted = { self.isUnwanted.load(ordering: .acquiring) }
      guard !isUnwanted() || adds && keepsParts else { return }
      let result = state.withLock { state -> Result<Value, HttpClientError> in
        if let failure = state.failure { return .failure(failure) }
        do throws(HttpClientError) {
          return .success(try work(&state.file, isUnwanted))
        } catch {
          state.failure = error
          return .failure(error)
        }
      }
      EventLoop.shared.enqueue { then(result) }
    }
  }

  /// Nothing more is wanted of it: it is closed, and removed unless it is whole or is to be gone on with.
  func giveUp(then: @escaping @LoopActor @Sendable () -> Void) {
    isUnwanted.store(true, ordering: .releasing)
    queue.async { [self] in
      state.withLock { state in
        state.file.discard()
        // What is asked of it yet would open it again.
        if state.failure == nil { state.failure = FileCalls.failure("the download was given up") }
      }
      EventLoop.shared.enqueue { then() }
    }
  }
}
