import Dispatch
import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite(.oneAtATime) struct InboxTests {
  @Test func whatOneThreadEnqueuesRunsInOrderOnTheLoop() async throws {
    let seen = Locked<[[Int]]>(Array(repeating: [], count: 4))
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for number in 0..<2_500 {
            EventLoop.shared.enqueue {
              #expect(EventLoop.shared.isOnLoop)
              seen.withLock { $0[thread].append(number) }
            }
          }
        }
      }
    }
    try await waitUntil { seen.withLock { $0.allSatisfy { $0.count == 2_500 } } }
    for numbers in seen.withLock({ $0 }) { #expect(numbers == Array(0..<2_500)) }
  }

  @Test func manyEnqueuedBodiesCostOneWakeUp() async throws {
    let entered = DispatchSemaphore(value: 0)
    let goOn = DispatchSemaphore(value: 0)
    let ran = Locked(0)
    EventLoop.shared.enqueue {
      entered.signal()
      goOn.wait()
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        entered.wait()
        for _ in 0..<1_000 { EventLoop.shared.enqueue { ran.withLock { $0 += 1 } } }
        continuation.resume()
      }
    }
    // The loop stands, so each wake-up is still counted in its eventfd; those that brought the first body may be, too.
    #expect(try wakeUps() <= 3)
    goOn.signal()
    try await waitUntil { ran.withLock { $0 } == 1_000 }
  }

  private func wakeUps() throws -> Int {
    let stream = fopen("/proc/self/fdinfo/\(EventLoop.shared.wakeDescriptor)", "r")
    defer { if let stream { fclose(stream) } }
    var line = [CChar](repeating: 0, count: 256)
    while let stream, fgets(&line, 256, stream) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard text.hasPrefix("eventfd-count:") else { continue }
      return Int(text.split(separator: " ").last?.filter(\.isHexDigit) ?? "", radix: 16) ?? -1
    }
    throw TestTimeout("no eventfd-count")
  }

  @LoopActor @Test func theActorIsTheLoopsThread() async {
    #expect(EventLoop.shared.isOnLoop)
    await Task.detached { #expect(!EventLoop.shared.isOnLoop) }.value
    #expect(EventLoop.shared.isOnLoop)
    LoopActor.preconditionIsolated()
    LoopActor.assertIsolated()
    #expect(EventLoop.assumeOnLoop { EventLoop.shared.isOnLoop })
  }

  @Test func enteringTheLoopFromAnotherThreadTraps() async {
    await #expect(processExitsWith: .failure) {
      EventLoop.assumeOnLoop {}
    }
  }

  @LoopActor @Test func whatIsPutOffRunsAtTheEndOfTheTurn() async {
    var order: [String] = []
    await withCheckedContinuation { continuation in
      EventLoop.shared.enqueue { @LoopActor in
        EventLoop.shared.atEndOfTurn {
          order.append("end 1")
          EventLoop.shared.enqueue { @LoopActor in order.append("next turn") }
          EventLoop.shared.atEndOfTurn {
            order.append("end of next turn")
            continuation.resume()
          }
        }
        EventLoop.shared.atEndOfTurn { order.append("end 2") }
        order.append("body 1")
      }
      EventLoop.shared.enqueue { @LoopActor in order.append("body 2") }
    }
    #expect(order == ["body 1", "body 2", "end 1", "end 2", "next turn", "end of next turn"])
  }

  @LoopActor @Test func theReadBufferIsOneAndTheSame() {
    #expect(EventLoop.shared.readBuffer.count == 262_144)
    #expect(EventLoop.shared.readBuffer.baseAddress == EventLoop.shared.readBuffer.baseAddress)
  }

  @Test func stoppingRunsWhatWasEnqueuedAndEndsTheThread() async {
    await #expect(processExitsWith: .success) {
      let ran = Locked(0)
      for _ in 0..<1_000 { EventLoop.shared.enqueue { ran.withLock { $0 += 1 } } }
      EventLoop.shared.stop()
      EventLoop.shared.stop()
      EventLoop.shared.enqueue { ran.withLock { $0 += 1_000 } }
      guard ran.withLock({ $0 }) == 1_000 else { exit(1) }
      exit(0)
    }
  }
}
