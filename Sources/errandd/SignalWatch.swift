import Dispatch
import ErrandDaemon
import EventLoop
import Glibc

/// SIGHUP reads the configuration again; SIGTERM and SIGINT end the daemon, in peace the first time and at once the second.
@LoopActor
final class SignalWatch {
  private let daemon: Daemon
  private let options: DaemonOptions
  private var endings = 0
  private var ended: CheckedContinuation<Void, Never>?

  nonisolated init(_ daemon: Daemon, _ options: DaemonOptions) {
    self.daemon = daemon
    self.options = options
  }

  /// Gives whether it was told to end more than once.
  func untilEnded() async -> Bool {
    EventLoop.shared.onSignal(SIGHUP) { self.reload() }
    EventLoop.shared.onSignal(SIGTERM) { self.end() }
    EventLoop.shared.onSignal(SIGINT) { self.end() }
    await withCheckedContinuation { ended = $0 }
    return endings > 1
  }

  private func reload() {
    let daemon = self.daemon
    let options = self.options
    // The file is read on another thread: the loop never waits for a disk.
    DispatchQueue.global().async {
      do throws(DaemonError) {
        let configuration = try options.configuration()
        Task { await daemon.reload(configuration) }
      } catch {
        daemon.log.write(.error, "configuration kept as it was", [("reason", error.description)])
      }
    }
  }

  private func end() {
    endings += 1
    // All has ended but the log, which is not waited for twice.
    if ended == nil { exit(0) }
    if endings > 2 { exit(1) }
    let grace: Duration? = endings == 1 ? nil : .zero
    let daemon = self.daemon
    Task {
      await daemon.stop(grace: grace)
      self.finish()
    }
  }

  private func finish() {
    ended?.resume()
    ended = nil
  }
}
