internal import EventLoop
import Glibc

/// Where the daemon keeps what outlives it. One daemon at a time: a second one is refused.
final class StateDirectory: Sendable {
  let path: String
  private let lock: Int32

  /// Makes the directory if need be and locks it. Touches the disk: not for the loop.
  init(_ path: String) throws(DaemonError) {
    self.path = path
    do throws(SystemError) {
      try StateDirectory.make(path)
    } catch {
      throw DaemonError("can't make the state directory \(path): \(error)")
    }
    let lockPath = path + "/lock"
    lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw DaemonError("can't open \(lockPath): \(SystemError(errno: errno, call: "open"))") }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let reason = SystemError(errno: errno, call: "flock")
      close(lock)
      throw DaemonError(
        isTaken ? "another errandd uses the state directory \(path); give this one its own with --state-dir" : "can't lock \(lockPath): \(reason)")
    }
  }

  deinit {
    close(lock)
  }

  private static func make(_ path: String) throws(SystemError) {
    var made = path.hasPrefix("/") ? "" : "."
    for piece in path.split(separator: "/") {
      made += "/" + piece
      if mkdir(made, 0o700) != 0, errno != EEXIST { throw SystemError(errno: errno, call: "mkdir \(made)") }
    }
  }
}
