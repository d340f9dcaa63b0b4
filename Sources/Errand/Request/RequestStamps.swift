internal import EventLoop

/// When what happened to a request.
struct RequestStamps: Sendable {
  let submitted: Instant
  @Stamp var granted: Instant?
  @Stamp var resolved: Instant?
  @Stamp var connected: Instant?
  @Stamp var sent: Instant?
  @Stamp var head: Instant?
  var lastActivity = Instant(nanoseconds: 0)

  init(submitted: Instant) {
    self.submitted = submitted
  }

  func timings(at end: Instant) -> RequestTimings {
    var timings = RequestTimings()
    timings.queue = granted?.microseconds(since: submitted)
    if let granted, let resolved { timings.dns = max(0, resolved.microseconds(since: granted)) }
    if let connected, let begun = resolved ?? granted { timings.connect = max(0, connected.microseconds(since: begun)) }
    timings.firstByte = head?.microseconds(since: submitted)
    timings.total = end.microseconds(since: submitted)
    return timings
  }
}

/// An optional instant in eight bytes: requests in flight are many.
@propertyWrapper
struct Stamp: Sendable {
  private var nanoseconds: Int64 = 0

  var wrappedValue: Instant? {
    get { nanoseconds == 0 ? nil : Instant(nanoseconds: nanoseconds) }
    set { nanoseconds = newValue?.nanoseconds ?? 0 }
  }
}
