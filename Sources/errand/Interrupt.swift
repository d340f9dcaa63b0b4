internal import EventLoop
internal import Glibc

/// The signals that ask a process to end: Ctrl-C, `kill` and `timeout`, and the end of the terminal.
enum Interrupt {
  private static let signals: [(number: Int32, code: ExitCode)] = [
    (SIGINT, .interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
  ]

  /// Runs `body` on the loop for the first such signal, with the exit code that tells which it was. Ctrl-C after it ends the process at
  /// once. The others don't: `timeout` sends SIGTERM twice, to the process and to its group.
  static func whenAsked(_ body: @escaping @LoopActor @Sendable (ExitCode) -> Void) {
    EventLoop.shared.enqueue {
      var isSecond = false
      // What the caller has turned off (`nohup`, a script's job in the background) stays off.
      for (number, code) in signals where !EventLoop.isIgnored(signal: number) {
        EventLoop.shared.onSignal(number) {
          if isSecond {
            if number == SIGINT { exit(code.rawValue) }
            return
          }
          isSecond = true
          body(code)
        }
      }
    }
  }
}
