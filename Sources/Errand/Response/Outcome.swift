/// The one end of a request.
public enum Outcome: Sendable {
  case finished(HttpResponse)
  indirect case failed(HttpClientError)
  case cancelled(CancelReceipt)
}

/// What a cancel did.
public struct CancelReceipt: Sendable, Hashable {
  /// Whether it cancelled.
  public enum Result: String, Sendable, Hashable {
    /// Cancelled by this call: nothing else of this request is delivered.
    case cancelled
    /// It came too late: the request had ended.
    case alreadyFinished = "already_finished"
    /// No request had this handle.
    case unknown
  }

  /// What became of the connection the request was on.
  public enum Connection: String, Sendable, Hashable {
    /// It was on none.
    case none
    /// It stays in use.
    case kept
    case closed
  }

  public let handle: RequestHandle
  public let result: Result
  public let sent: SentState
  /// Bytes of the request, head and body, that were handed to the kernel in the last attempt.
  public let bytesWritten: Int64
  public let connection: Connection

  public init(
    handle: RequestHandle, result: Result, sent: SentState = .notSent, bytesWritten: Int64 = 0, connection: Connection = .none
  ) {
    self.handle = handle
    self.result = result
    self.sent = sent
    self.bytesWritten = bytesWritten
    self.connection = connection
  }
}
