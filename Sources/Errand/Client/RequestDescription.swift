/// Where a request stands, for lists, timelines and people.
public struct RequestDescription: Sendable {
  public let info: RequestInfo
  /// `queued`, `connecting`, `sending`, `waiting` (for the response), `receiving`, `backing_off` or `delivering`.
  public let state: String
  public let host: String
  public let attempts: Int
  public let sent: SentState
  public let bytesWritten: Int64
  public let bytesReceived: Int64
  /// Microseconds since it was submitted.
  public let age: Int64
  /// The connection's number in this client, and the address it goes to.
  public let connectionID: UInt64?
  public let remoteAddress: String?
  public let isReusedConnection: Bool?
  public let timeline: [RequestTrace.Step]
  /// One sentence: what the request is doing or waits for.
  public let explanation: String
}
