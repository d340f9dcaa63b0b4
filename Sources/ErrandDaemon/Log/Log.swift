internal import Dispatch
internal import EventLoop
import Glibc
internal import HttpWire
internal import Synchronization

/// How much a log line matters.
public enum LogLevel: Int, Sendable, CaseIterable {
  case debug, info, warning, error

  var name: String { "\(self)" }

  init?(name: String) {
    guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }
}

/// How log lines are written.
public enum LogFormat: String, Sendable, CaseIterable {
  case logfmt, json
}

/// The structured log. Lines are put together by the caller and written by a thread of its own; when that can't keep up, lines are dropped
/// and counted, and nobody waits.
public final class Log: Sendable {
  public typealias Field = (name: String, value: String)

  private let queue = DispatchQueue(label: "errand.log")
  private let descriptor: Locked<Int32>
  /// Where it is written; nil: to the descriptor it was made with.
  private let path = Locked<String?>(nil)
  private let original: Int32
  private let limit: Int
  private let level: Atomic<Int>
  private let isJson: Atomic<Bool>
  private let waiting = Atomic<Int>(0)
  private let dropped = Atomic<UInt64>(0)
  private let told = Atomic<UInt64>(0)

  /// Writes to `descriptor`, which must stay open. `limit`: lines that may wait.
  public init(descriptor: Int32 = 2, level: LogLevel = .info, format: LogFormat = .logfmt, limit: Int = 10_000) {
    self.descriptor = Locked(descriptor)
    original = descriptor
    self.limit = limit
    self.level = Atomic(level.rawValue)
    isJson = Atomic(format == .json)
  }

  /// Changes what is written and how, from now on.
  public func configure(level: LogLevel, format: LogFormat) {
    self.level.store(level.rawValue, ordering: .relaxed)
    isJson.store(format == .json, ordering: .relaxed)
  }

  /// Lines that were dropped since the start.
  public var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

  /// Whether lines of that level are written.
  public func isEnabled(_ level: LogLevel) -> Bool { level.rawValue >= self.level.load(ordering: .relaxed) }

  /// Queues a line; never waits. Above the limit of waiting lines it is dropped and counted.
  public func write(_ level: LogLevel, _ message: @autoclosure () -> String, _ fields: @autoclosure () -> [Field] = []) {
    guard isEnabled(level) else { return }
    guard waiting.load(ordering: .relaxed) < limit else {
      dropped.add(1, ordering: .relaxed)
      return
    }
    waiting.add(1, ordering: .relaxed)
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    let line = LogLine(
      seconds: clock.tv_sec, milliseconds: clock.tv_nsec / 1_000_000, level: level, message: message(), fields: fields())
    let isJson = self.isJson.load(ordering: .relaxed)
    queue.async { [self] in
      var bytes = line.bytes(isJson: isJson)
      let lost = dropped.load(ordering: .relaxed)
      if lost > told.exchange(lost, ordering: .relaxed) {
        let notice = LogLine(
          seconds: line.seconds, milliseconds: line.milliseconds, level: .warning, message: "log lines were dropped",
          fields: [("dropped", "\(lost)")])
        bytes += notice.bytes(isJson: isJson)
      }
      put(bytes)
      waiting.subtract(1, ordering: .relaxed)
    }
  }

  /// Waits until all lines given before are written, at most for `limit`: the reader may have stopped reading. False if they are not.
  /// Not for the loop.
  @discardableResult
  public func flush(limit: Duration = .seconds(1)) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    return done.wait(timeout: .now() + .nanoseconds(Int(limit.wholeNanoseconds))) == .success
  }

  /// Writes to the file from now on, at its end; made with the permission 0640 if it is not there. nil: to where it was written at first. Throws if
  /// it can't be opened, and goes on as before then.
  public func write(to file: String?) throws(DaemonError) {
    guard file != path.withLock({ $0 }) else { return }
    try open(file)
  }

  /// Opens the file anew: what it was may have been moved away. Blocks: not for the loop.
  public func reopen() {
    guard let file = path.withLock({ $0 }) else { return }
    do throws(DaemonError) {
      try open(file)
      write(.info, "log opened anew", [("file", file)])
    } catch {
      write(.error, "log kept where it was", [("reason", error.description)])
    }
  }

  private func open(_ file: String?) throws(DaemonError) {
    var new = original
    if let file {
      guard file.hasPrefix("/"), !file.utf8.contains(0) else { throw DaemonError("log.file: \(file.debugDescription) is no absolute path") }
      new = Glibc.open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0o640)
      guard new >= 0 else { throw DaemonError("log.file: can't open \(file): \(SystemError(errno: errno, call: "open").reason)") }
    }
    // After the lines that were given before.
    queue.sync {
      let old = descriptor.withLock { descriptor in
        let old = descriptor
        descriptor = new
        return old
      }
      if old != original { close(old) }
    }
    path.withLock { $0 = file }
  }

  private func put(_ bytes: [UInt8]) {
    let descriptor = self.descriptor.withLock { $0 }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      written += count
    }
  }
}
