public import HttpWire

/// Is told of the requests that were made for it, each outcome exactly once, with the request's handle, URL, tag and key.
///
/// Calls come on the client's delivery queue (or the one given with the request), never on the loop, and in order per request.
/// The client holds a delegate weakly: when it is gone, its outcomes are dropped.
public protocol HttpClientDelegate: AnyObject, Sendable {
  /// The request succeeded.
  func requestDidFinish(_ request: RequestInfo, response: HttpResponse)
  /// The request failed; `error.response` is there if a response came with it.
  func requestDidFail(_ request: RequestInfo, error: HttpClientError)
  /// The request was cancelled. Default: nothing.
  func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt)

  /// What else to be told of. Default: nothing else.
  var interests: RequestInterests { get }
  /// The first exchange began: there is a connection, and the request is being written to it. Once, and not for what is answered without any exchange,
  /// such as from the cache; asked for with `.started`.
  func requestDidStart(_ request: RequestInfo)
  /// A 1xx response came; asked for with `.interim`.
  func request(_ request: RequestInfo, didReceiveInterim head: ResponseHead)
  /// The final response's head came; asked for with `.head`.
  func request(_ request: RequestInfo, didReceiveHead head: ResponseHead)
  /// A piece of the body came; asked for with `.bodyChunks`. The response's own `body` then stays empty, and reading pauses while 1 MiB
  /// waits to be taken.
  func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8])
  /// `sent` of `total` bytes of the request's body have been written; asked for with `.uploadProgress`. `total` is -1 where nobody knows it.
  func request(_ request: RequestInfo, didSend sent: Int64, of total: Int64)
  /// A response sends the request elsewhere, which waits until this was answered; asked for with `.redirects`.
  func request(_ request: RequestInfo, willFollow redirection: Redirection)
  /// A server wants to know who is asking (401), and nothing that the request says of itself is enough. The request waits until this was answered;
  /// asked for with `.challenges`.
  func request(_ request: RequestInfo, didReceiveChallenge challenge: AuthenticationChallenge)
  /// More of a download is in its file; asked for with `.downloadProgress`. About ten times a second at the most, and when it is whole.
  func request(_ request: RequestInfo, didReceive progress: TransferProgress)
}

/// The further events that a delegate asks for.
public struct RequestInterests: OptionSet, Sendable, Hashable {
  public let rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static let interim = RequestInterests(rawValue: 1)
  public static let head = RequestInterests(rawValue: 2)
  public static let bodyChunks = RequestInterests(rawValue: 4)
  public static let uploadProgress = RequestInterests(rawValue: 8)
  public static let redirects = RequestInterests(rawValue: 16)
  public static let challenges = RequestInterests(rawValue: 32)
  public static let downloadProgress = RequestInterests(rawValue: 64)
  public static let started = RequestInterests(rawValue: 128)
  /// For sinks on the loop: see ``OutcomeSink/requestWillBeSent(_:_:)``.
  public static let sending = RequestInterests(rawValue: 256)
}

extension HttpClientDelegate {
  public func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt) {}
  public var interests: RequestInterests { [] }
  public func requestDidStart(_ request: RequestInfo) {}
  public func request(_ request: RequestInfo, didReceiveInterim head: ResponseHead) {}
  public func request(_ request: RequestInfo, didReceiveHead head: ResponseHead) {}
  public func request(_ request: RequestInfo, didReceiveBody chunk: [UInt8]) {}
  public func request(_ request: RequestInfo, didSend sent: Int64, of total: Int64) {}
  public func request(_ request: RequestInfo, willFollow redirection: Redirection) { redirection.follow() }
  public func request(_ request: RequestInfo, didReceiveChallenge challenge: AuthenticationChallenge) { challenge.answer(.proceedWithout) }
  public func request(_ request: RequestInfo, didReceive progress: TransferProgress) {}
}
