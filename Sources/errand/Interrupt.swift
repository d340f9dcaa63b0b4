internal import EventLoop
internal import Glibc

/// Ctrl-C.
enum Interrupt {
  /// Runs `body` on the loop for the first Ctrl-C; a second one ends the process at once.
  static func whenAsked(_ body: @escaping @LoopActor @Sendable () -> Void) {
    EventLoop.shared.enqueue {
      var isSecond = false
      EventLoop.shared.onSignal(SIGINT) {
        if isSecond { exit(ExitCode.interrupted.rawValue) }
        isSecond = true
        body()
      }
    }
  }
}
