internal import EventLoop
internal import HttpWire

/// Is told what a session reads. Called while the session reads or writes: any method of the session may be called from here but
/// ``Http2Session/receive(_:at:)`` and ``Http2Session/gather(into:upTo:)``.
///
/// Events of one stream come in this order: interim heads, head, body, trailers, end. After the end, or after a cancel, none come.
@LoopActor
protocol Http2SessionHandler: AnyObject {
  func received(interim head: ResponseHead, on stream: Http2Stream)
  /// `contentLength` is what Content-Length says, for HEAD and 304 too.
  func received(head: ResponseHead, contentLength: Int64?, on stream: Http2Stream)
  /// The bytes are valid until this returns. They count against the stream's window until ``Http2Session/consume(_:_:)``.
  func received(body: UnsafeRawBufferPointer, on stream: Http2Stream)
  func received(trailers: HttpHeaders, on stream: Http2Stream)
  func ended(_ stream: Http2Stream, _ end: Http2StreamEnd)
  /// The body of a request can't be sent on. Nothing more is asked of its feed.
  func failed(body error: HttpClientError, on stream: Http2Stream)
  /// The server takes no more streams. Those above its last one end as not processed after this.
  func serverGoesAway(_ code: Http2ErrorCode, _ words: String)
  /// The number of streams that the server takes may have changed.
  func serverSettingsChanged()
  func pingAnswered(_ number: UInt64)
  /// The session is of no more use: the server broke the protocol or floods. What remains to be written says so. Open streams are not told.
  func sessionFailed(_ error: WireError)
}
