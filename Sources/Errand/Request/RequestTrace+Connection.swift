internal import EventLoop

/// The connection of the last attempt, for people.
extension RequestTrace {
  /// What is spoken on it: `HTTP/1.1` or `HTTP/2`; nil if the request was on none.
  public var protocolName: String? { connection.map { $0.isHttp2 ? "HTTP/2" : "HTTP/1.1" } }
  /// This machine's end of it, such as `127.0.0.1:40000`.
  public var localAddress: String? { connection?.localAddress?.description }
  /// Whether it had carried requests before.
  public var isReusedConnection: Bool? { connection.map { _ in isReused } }
}
