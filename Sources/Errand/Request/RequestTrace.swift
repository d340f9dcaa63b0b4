public import EventLoop

/// What happened to a request, and when, in a form that is cheap to keep: its words are made when somebody asks.
public struct RequestTrace: Sendable {
  /// One moment in a request's life.
  public struct Step: Sendable, Hashable {
    /// Microseconds since the request was submitted.
    public let at: Int64
    /// `queued`, `slot`, `resolved`, `connected`, `tunnel`, `tls`, `reused`, `sent`, `head`, `retry`, `restart` or `redirect`.
    public let event: String
    public let note: String?

    /// A step `at` microseconds after the submission.
    public init(at: Int64, event: String, note: String? = nil) {
      self.at = at
      self.event = event
      self.note = note
    }
  }

  /// A step whose request is not known yet, or that is one of several requests.
  struct Moment: Sendable {
    let at: Instant
    let event: String
    let note: String?
  }

  /// Why an attempt was not the last, or why it was.
  struct Retry: Sendable {
    enum Next: Sendable {
      case after(Duration)
      case never
    }

    let at: Instant
    let attempt: Int
    let reason: String
    let next: Next

    var description: String {
      switch next {
      case .after(.zero): "try \(attempt): \(reason)"
      case .after(let wait): "try \(attempt): \(reason); the next in \(wait.forPeople)"
      case .never: "no other try: \(reason)"
      }
    }
  }

  /// The names that were resolved.
  let host: String
  let stamps: RequestStamps
  let retries: [Retry]
  let moments: [Moment]
  let connection: ConnectionFacts?
  let isReused: Bool
  let status: Int?
  /// Bytes of the request, head and body, that were handed to the kernel in the last attempt.
  public let bytesWritten: Int64
  /// Bytes of the response's body.
  public let bytesReceived: Int64

  /// The connection's number in its client; nil if the request was on none.
  public var connectionID: UInt64? { connection?.id }
  /// Where it went, such as `127.0.0.1:80`.
  public var remoteAddress: String? { connection?.address.description }

  /// How far a connection went.
  public enum Reach: Int, Sendable, CaseIterable {
    /// There was none.
    case none
    case unix
    case loopback
    /// RFC 1918, RFC 4193 and link-local.
    case `private`
    case `public`
  }

  /// How far its last connection went.
  public var reach: Reach {
    guard let address = connection?.address else { return .none }
    if address.path != nil { return .unix }
    return address.isLoopback ? .loopback : address.isPrivate ? .private : .public
  }

  /// What TLS with the origin agreed on; nil in the clear, or before.
  public var tls: TlsFacts? { connection?.tls }

  /// The steps in their order.
  public var timeline: [Step] {
    var steps = [Step(at: 0, event: "queued", note: nil)]
    func add(_ event: String, _ at: Instant?, _ note: String? = nil) {
      if let at { steps.append(Step(at: max(0, at.microseconds(since: stamps.submitted)), event: event, note: note)) }
    }
    add("slot", stamps.granted)
    add("resolved", stamps.resolved, host)
    if let connection {
      let words = "connection \(connection.id) to \(connection.address)"
      if isReused {
        add("reused", stamps.granted, words)
      } else {
        add("connected", stamps.connected, words)
        for step in connection.steps { add(step.event, step.at, step.note) }
      }
    } else {
      add("connected", stamps.connected)
    }
    for retry in retries { add("retry", retry.at, retry.description) }
    for moment in moments { add(moment.event, moment.at, moment.note) }
    add("sent", stamps.sent, "\(bytesWritten) bytes")
    add("head", stamps.head, status.map { "\($0)" })
    // Stable, so that steps of one moment stay in the order of life.
    return steps.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
