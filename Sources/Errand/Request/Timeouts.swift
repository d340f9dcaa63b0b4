/// The named timers of a request. Each starts with its own phase. `nil` takes the client's default; `.zero` means no limit.
public struct Timeouts: Sendable, Hashable {
  /// Waiting for a connection slot. Client default: none.
  public var queue: Duration?
  /// Resolving the name and connecting, over all addresses. Client default: 10 s.
  public var connect: Duration?
  /// From the request being wholly written to the final response's head. Client default: 30 s.
  public var firstByte: Duration?
  /// Between two pieces of a body, sent or received. Client default: 30 s.
  public var idle: Duration?
  /// The request as a whole, from leaving the queue to its end, retries included. Client default: 60 s; none where the response goes to a file, a
  /// stream, or a delegate in pieces.
  public var total: Duration?
  /// From the request's submission to its end, whatever it waits for. Client default: none.
  public var deadline: Duration?

  public init(
    queue: Duration? = nil, connect: Duration? = nil, firstByte: Duration? = nil, idle: Duration? = nil, total: Duration? = nil,
    deadline: Duration? = nil
  ) {
    self.queue = queue
    self.connect = connect
    self.firstByte = firstByte
    self.idle = idle
    self.total = total
    self.deadline = deadline
  }
}

/// The part of a request's life that a timer or an error belongs to.
public struct Phase: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public var description: String { rawValue }

  public static let queue = Phase(rawValue: "queue")
  public static let dns = Phase(rawValue: "dns")
  public static let connect = Phase(rawValue: "connect")
  public static let tls = Phase(rawValue: "tls")
  public static let request = Phase(rawValue: "request")
  public static let firstByte = Phase(rawValue: "first_byte")
  public static let idle = Phase(rawValue: "idle")
  public static let total = Phase(rawValue: "total")
  public static let deadline = Phase(rawValue: "deadline")
  public static let response = Phase(rawValue: "response")
  public static let backOff = Phase(rawValue: "back_off")
}
