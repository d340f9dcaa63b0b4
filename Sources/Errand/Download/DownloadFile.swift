internal import Dispatch
internal import EventLoop
internal import Synchronization

/// A download's file as the loop sees it: what is asked of it is done in order, on a queue of its own.
final class DownloadFile: Sendable {
  // Not one queue for all: a slow disk must not hold up the others. Of the pool whose threads are bounded.
  private let queue = DispatchQueue(label: "errand.download", target: .global())
  // The lock is the queue's alone; it never waits.
  private let file: Locked<PartialFile>
  private let isUnwanted = Atomic<Bool>(false)
  private let keepsPart: Bool

  init(_ download: Download) {
    keepsPart = download.resumes
    file = Locked(PartialFile(download))
  }

  /// Has `work` done, and tells the loop what came of it. Once it was given up, nothing is done any more but what `adds` to a part that is kept.
  func run<Value: Sendable>(
    adds: Bool = false,
    _ work: @escaping @Sendable (inout PartialFile, _ isUnwanted: () -> Bool) throws(HttpClientError) -> Value,
    then: @escaping @LoopActor @Sendable (Result<Value, HttpClientError>) -> Void
  ) {
    queue.async { [self] in
      let isUnwanted = { self.isUnwanted.load(ordering: .acquiring) }
      guard !isUnwanted() || adds && keepsPart else { return }
      let result = file.withLock { file -> Result<Value, HttpClientError> in
        do throws(HttpClientError) { return .success(try work(&file, isUnwanted)) } catch { return .failure(error) }
      }
      EventLoop.shared.enqueue { then(result) }
    }
  }

  /// Nothing more is wanted of it: it is closed, and removed unless it is whole or is to be gone on with.
  func giveUp(then: @escaping @LoopActor @Sendable () -> Void) {
    isUnwanted.store(true, ordering: .releasing)
    queue.async { [self] in
      file.withLock { $0.discard() }
      EventLoop.shared.enqueue { then() }
    }
  }
}
