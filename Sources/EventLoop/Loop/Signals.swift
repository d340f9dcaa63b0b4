internal import CLibevent

struct SignalHandler {
  let event: OpaquePointer
  var body: @LoopActor () -> Void
}

extension EventLoop {
  /// Whether the process ignores the signal `number`, as one that was started by `nohup` does.
  public static func isIgnored(signal number: Int32) -> Bool {
    errand_signal_is_ignored(number) != 0
  }

  /// Runs `body` on the loop each time the process gets the signal `number`. A second call for the same signal replaces the first.
  @LoopActor public func onSignal(_ number: Int32, _ body: @escaping @LoopActor () -> Void) {
    if signals[number] != nil {
      signals[number]?.body = body
      return
    }
    let argument = UnsafeMutableRawPointer(bitPattern: Int(number))
    guard
      let event = event_new(
        base, number, Int16(EV_SIGNAL | EV_PERSIST),
        { _, _, argument in
          let number = Int32(truncatingIfNeeded: Int(bitPattern: argument))
          EventLoop.assumeOnLoop {
            EventLoop.shared.forgetNow()
            EventLoop.shared.signals[number]?.body()
          }
        }, argument)
    else { preconditionFailure("libevent: no memory for a signal handler") }
    signals[number] = SignalHandler(event: event, body: body)
    event_add(event, nil)
  }
}
