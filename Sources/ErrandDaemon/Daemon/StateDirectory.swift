internal import EventLoop
import Glibc

/// Where the daemon keeps what outlives it. One daemon at a time: a second one is refused.
final class StateDirectory: Sendable {
  let path: String
  private let lock: Locked<Int32>

  /// Makes the directory if need be and locks it. Touches the disk: not for the loop.
  init(_ path: String) throws(DaemonError) {
    self.path = path
    do throws(SystemError) {
      try StateDirectory.make(path)
    } catch {
      throw DaemonError("can't make the state directory \(path): \(error)")
    }
    let lockPath = path + "/lock"
    let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    lock = Locked(descriptor)
    guard descriptor >= 0 else { throw DaemonError("can't open \(lockPath): \(SystemError(errno: errno, call: "open"))") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let reason = SystemError(errno: errno, call: "flock")
      let pid = isTaken ? (try? StateFile.read(lockPath, limit: 32)).flatMap { $0 }.flatMap { Int($0.filter { !$0.isNewline }) } : nil
      throw DaemonError(
        isTaken
          ? "another errandd\(pid.map { " (pid \($0))" } ?? "") uses the state directory \(path); give this one its own with --state-dir"
          : "can't lock \(lockPath): \(reason)"
      )
    }
    // For people, and for a daemon that is refused.
    let pid = Array("\(getpid())\n".utf8)
    if ftruncate(descriptor, 0) == 0 { try? WholeFile.append(pid, to: descriptor) }
  }

  deinit {
    release()
  }

  /// Lets another daemon have the directory. False if that was done before.
  @discardableResult
  func release() -> Bool {
    lock.withLock { descriptor in
      guard descriptor >= 0 else { return false }
      close(descriptor)
      descriptor = -1
      return true
    }
  }

  private static func make(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "" : "."
    for piece in path.split(separator: "/") {
      made += "/" + piece
      if mkdir(made, 0o700) != 0, errno != EEXIST { throw SystemError(errno: errno, call: "mkdir \(made)") }
    }
  }
}
