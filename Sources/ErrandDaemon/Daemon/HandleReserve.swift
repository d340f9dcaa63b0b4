internal import Dispatch
internal import EventLoop
import Glibc

/// Sees to it that no handle is given twice in the life of the state directory: the highest one that may be given is on disk before it
/// is given. The numbers of events, which may run ahead of handles, begin after all that were given, too. Handles are reserved in blocks, the next one long before the current one is used up, on a thread of its own. At a clean end
/// what was not given goes back; after any other end the rest of the block stays unused.
@LoopActor
final class HandleReserve {
  nonisolated static let blockSize: UInt64 = 1_000_000

  private let path: String
  private let block: UInt64
  private let queue = DispatchQueue(label: "errand.handles")
  /// The highest handle that may be given.
  private(set) var limit: UInt64
  /// The highest handle that was given, by this run or an earlier one.
  private var highest: UInt64
  private var isClosed = false
  private(set) var isExtending = false
  /// The last block could not be reserved.
  private(set) var isFailing = false
  /// Told what went wrong with the disk, once until it works again.
  var onFailure: ((SystemError) -> Void)?
  /// Told that it works again.
  var onRecovery: (() -> Void)?
  nonisolated let first: UInt64

  /// Reads what was reserved by earlier runs and reserves a block after it. Touches the disk: not for the loop.
  nonisolated init(path: String, block: UInt64 = HandleReserve.blockSize) throws(DaemonError) {
    self.path = path
    self.block = block
    let reserved = try HandleReserve.read(path)
    guard reserved < UInt64.max / 2 else { throw DaemonError("\(path) names no possible handle") }
    first = reserved + 1
    highest = reserved
    limit = reserved + block
    do throws(SystemError) {
      try StateFile.write("\(reserved + block)\n", to: path)
    } catch {
      throw DaemonError("can't write \(path): \(error)")
    }
  }

  /// An event got this number: later runs begin after it.
  func note(event number: UInt64) {
    highest = max(highest, number)
    if number &+ block / 2 > limit, !isExtending, !isClosed { extend() }
  }

  /// Whether `handle` may be given, in which case it counts as given; sees to the next block in time.
  func covers(_ handle: UInt64) -> Bool {
    guard !isClosed else { return false }
    if handle &+ block / 2 > limit, !isExtending { extend() }
    guard handle <= limit else { return false }
    highest = max(highest, handle)
    return true
  }

  /// No handle is given any more, and the next run goes on right after the last one. Returns when that is on disk; if it can't be written,
  /// the next run goes on after the block. May be called more than once.
  func giveBack() async {
    let isFirst = !isClosed
    isClosed = true
    let path = self.path
    let highest = self.highest
    // After any block that is being reserved: the queue does one thing at a time. Later calls wait for the first.
    let failure: SystemError? = await withCheckedContinuation { continuation in
      queue.async {
        guard isFirst else { return continuation.resume(returning: nil) }
        do throws(SystemError) {
          try StateFile.write("\(highest)\n", to: path)
          continuation.resume(returning: nil)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    if let failure { onFailure?(failure) }
  }

  /// Tries again what failed, so that what comes once the disk can be written is not refused. To be called about once a second.
  func retry() {
    if isFailing, !isExtending, !isClosed { extend() }
  }

  private func extend() {
    isExtending = true
    let path = self.path
    let next = limit + block
    queue.async {
      let result = Result { () throws(SystemError) in try StateFile.write("\(next)\n", to: path) }
      EventLoop.shared.enqueue {
        self.isExtending = false
        switch result {
        case .success: self.extended(to: next)
        case .failure(let error): self.failed(error)
        }
      }
    }
  }

  private func extended(to next: UInt64) {
    limit = next
    guard isFailing else { return }
    isFailing = false
    onRecovery?()
  }

  private func failed(_ error: SystemError) {
    guard !isFailing else { return }
    isFailing = true
    onFailure?(error)
  }

  private nonisolated static func read(_ path: String) throws(DaemonError) -> UInt64 {
    let text: String?
    do throws(SystemError) {
      text = try StateFile.read(path)
    } catch {
      throw DaemonError("can't read \(path): \(error)")
    }
    guard let text else { return 0 }
    guard text.hasSuffix("\n"), let value = UInt64(text.dropLast()) else {
      throw DaemonError("\(path) does not hold a number; handles could be given twice, so this has to be repaired first")
    }
    return value
  }
}
