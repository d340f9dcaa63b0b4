import Dispatch
import ErrandDaemon
import EventLoop
import Glibc

/// SIGHUP reads the configuration again; SIGUSR1 opens the log's file anew; SIGTERM and SIGINT end the daemon, in peace the first time and at once the second.
@LoopActor
final class SignalWatch {
  private let options: DaemonOptions
  private let manager: ServiceManager
  /// nil while it starts.
  private var daemon: Daemon?
  private var endings = 0
  private var ended: CheckedContinuation<Void, Never>?

  nonisolated init(_ options: DaemonOptions, _ manager: ServiceManager) {
    self.manager = manager
    self.options = options
  }

  /// To be called before anybody can know that the daemon is there: a signal that comes while it starts is obeyed once it stands.
  func begin() {
    EventLoop.shared.onSignal(SIGHUP) { self.reload() }
    EventLoop.shared.onSignal(SIGUSR1) { self.reopenLog() }
    EventLoop.shared.onSignal(SIGTERM) { self.end() }
    EventLoop.shared.onSignal(SIGINT) { self.end() }
  }

  /// Gives whether it was told to end more than once.
  func untilEnded(_ daemon: Daemon) async -> Bool {
    self.daemon = daemon
    await withCheckedContinuation {
      ended = $0
      if endings > 0 { stop(daemon) }
    }
    return endings > 1
  }

  private func reload() {
    // What it starts with is what it would read.
    guard let daemon else { return }
    let options = self.options
    let manager = self.manager
    manager.reloading()
    // The file is read on another thread: the loop never waits for a disk.
    DispatchQueue.global().async {
      do throws(DaemonError) {
        let configuration = try options.configuration()
        Task {
          await daemon.reload(configuration)
          manager.ready(status: "serving \(daemon.socketPath)")
        }
      } catch {
        daemon.log.write(.error, "configuration kept as it was", [("reason", error.description)])
        manager.ready(status: "serving with the settings from before: \(error)")
      }
    }
  }

  private func reopenLog() {
    guard let daemon else { return }
    DispatchQueue.global().async { daemon.log.reopen() }
  }

  private func end() {
    endings += 1
    manager.stopping()
    guard let daemon else {
      if endings > 1 { exit(1) }
      return
    }
    // All has ended but the log, which is not waited for twice.
    if ended == nil { exit(0) }
    if endings > 2 { exit(1) }
    stop(daemon)
  }

  private func stop(_ daemon: Daemon) {
    let grace: Duration? = endings == 1 ? nil : .zero
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
