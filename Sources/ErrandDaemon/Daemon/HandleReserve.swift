internal import Dispatch
internal import EventLoop
import Glibc

/// Sees to it that no handle is given twice in the life of the state directory: the highest one that may be given is on disk before it
/// is given. Handles are reserved in blocks, the next one long before the current one is used up, on a thread of its own.
@LoopActor
final class HandleReserve {
  nonisolated static let blockSize: UInt64 = 1_000_000

  private let path: String
  private let block: UInt64
  private let queue = DispatchQueue(label: "errand.handles")
  /// The highest handle that may be given.
  private(set) var limit: UInt64
  private var isExtending = false
  /// Told what went wrong with the disk.
  var onFailure: ((SystemError) -> Void)?
  nonisolated let first: UInt64

  /// Reads what was reserved by earlier runs and reserves a block after it. Touches the disk: not for the loop.
  nonisolated init(path: String, block: UInt64 = HandleReserve.blockSize) throws(DaemonError) {
    self.path = path
    self.block = block
    let reserved = try HandleReserve.read(path)
    guard reserved < UInt64.max / 2 else { throw DaemonError("\(path) names no possible handle") }
    first = reserved + 1
    limit = reserved + block
    do throws(SystemError) {
      try StateFile.write("\(reserved + block)\n", to: path)
    } catch {
      throw DaemonError("can't write \(path): \(error)")
    }
  }

  /// Whether `handle` may be given; sees to the next block in time.
  func covers(_ handle: UInt64) -> Bool {
    if handle &+ block / 2 > limit, !isExtending { extend() }
    return handle <= limit
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
        case .success: self.limit = next
        case .failure(let error): self.onFailure?(error)
        }
      }
    }
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
