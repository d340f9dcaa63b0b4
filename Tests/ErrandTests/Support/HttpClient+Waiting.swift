import EventLoop

@testable import Errand

extension HttpClient {
  /// Waits until a request is as `isReached` says; fails after a minute or if it has ended before.
  func wait(for handle: RequestHandle, until isReached: @escaping @LoopActor (RequestItem) -> Bool) async throws {
    try await wait("request \(handle)") { client in client.engine.table[handle].map(isReached) ?? false }
  }

  /// Looks again and again, from a timer of the loop, until `isReached`.
  func wait(_ what: String, until isReached: @escaping @LoopActor (HttpClient) -> Bool) async throws {
    let start = Instant.now()
    while !(await isReached(self)) {
      guard start.duration(to: Instant.now()) < .seconds(60) else { throw Late(description: "waited in vain for \(what)") }
      await pause(.milliseconds(1))
    }
  }

  /// Runs `body` in one turn of the loop.
  @LoopActor func onLoop<T: Sendable>(_ body: @LoopActor (HttpClient) throws -> T) rethrows -> T {
    try body(self)
  }

  /// Cancels one after the other, without waiting in between.
  func cancelEach(_ handles: [RequestHandle]) async throws -> [CancelReceipt] {
    let receipts = Record<CancelReceipt>("receipts")
    for handle in handles { cancel(handle) { receipts.add($0) } }
    return try await receipts.first(handles.count)
  }
}
