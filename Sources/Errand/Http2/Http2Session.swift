internal import CNghttp2
internal import EventLoop
internal import HttpWire

/// One HTTP/2 connection of a client (RFC 9113) without its I/O: bytes in, bytes out, events to a handler. Framing, HPACK and the states of
/// streams are nghttp2's. No server push.
///
/// The session holds its handler, and is held itself, until ``close()``.
@LoopActor
final class Http2Session {
  let settings: Http2Settings
  let limits: WireLimits
  /// nil once closed.
  var handler: (any Http2SessionHandler)?
  /// Under which the callbacks find the session.
  private(set) var id: UInt = 0
  /// nil once closed, or if there was no memory for it.
  private(set) var native: OpaquePointer?
  /// By slot; nghttp2 keeps the slot with the stream.
  var streams: [StreamState] = []
  private var freeSlots: [Int32] = []
  /// Streams that nghttp2 has not closed.
  private(set) var openCount = 0
  /// Streams of which a piece was written out since ``takeWritten(_:)``.
  var written: [Http2Stream] = []
  var troubles: [Int32: Trouble] = [:]
  /// Of bodies that are not in memory, by the numbers of their streams.
  var feeds: [Int32: BodyFeed] = [:]
  var flood: Http2FloodGuard
  var block = HeaderBlock()
  /// The last stream that was looked up.
  var lastFound: Http2Stream?
  var serverIsGoing = false
  /// No body goes out before: a server whose windows are small may take one that fills the usual window for a breach of its own.
  var hasServerSettings = false
  /// Why the session is of no more use.
  var failure: WireError?
  private var failureIsTold = false
  /// nghttp2 is reading or writing.
  private var depth = 0
  var isCalling: Bool { depth > 0 }
  private var isClosed = false
  /// Of the request that is being submitted.
  private var fields: [nghttp2_nv] = []

  /// What is known of one stream.
  struct StreamState {
    /// Zero: the slot is free.
    var number: Int32 = 0
    /// The handler knows of its end, or has cancelled it.
    var isOver = false
    var hasHead = false
    var hasEnded = false
    var holdsBody = false
    var isListedAsWritten = false
    var body: [UInt8] = []
    var bodyStart = 0
    var bodyOffset = 0
    var headIsWritten = false
    var interimCount: Int32 = 0
  }

  /// What few streams have, by their numbers.
  struct Trouble {
    /// The server's, from its RST_STREAM.
    var resetCode: Http2ErrorCode?
    /// What is wrong with the response.
    var fault: WireError?
  }

  init(_ settings: Http2Settings = Http2Settings(), limits: WireLimits, handler: any Http2SessionHandler) {
    self.settings = settings
    self.limits = limits
    self.handler = handler
    flood = Http2FloodGuard(limit: settings.floodFrames, period: settings.floodPeriod)
    id = Http2SessionTable.add(self)
    var options: OpaquePointer?
    var opened: OpaquePointer?
    nghttp2_option_new(&options)
    nghttp2_option_set_no_auto_window_update(options, 1)
    nghttp2_option_set_max_settings(options, settings.maxSettingsEntries)
    nghttp2_option_set_max_outbound_ack(options, settings.maxPendingAcks)
    nghttp2_option_set_max_continuations(options, settings.maxContinuations)
    // Pushed streams, which a server may begin before it knows that we want none, are refused.
    nghttp2_option_set_max_reserved_remote_streams(options, 0)
    nghttp2_option_set_max_deflate_dynamic_table_size(options, Int(settings.headerTableBytes))
    nghttp2_option_set_max_send_header_block_length(options, settings.requestHeadBytes)
    // Blanks around a value are trimmed, as in HTTP/1.1.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(options, 1)
    nghttp2_session_client_new2(&opened, Http2SessionTable.callbacks, UnsafeMutableRawPointer(bitPattern: id), options)
    nghttp2_option_del(options)
    native = opened
    let entries = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue), value: settings.headerTableBytes),
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(max(0, settings.streamWindow))),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue), value: UInt32(clamping: limits.headBytes)),
    ]
    nghttp2_submit_settings(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    nghttp2_session_set_local_window_size(native, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, max(65_535, settings.connectionWindow))
  }

  /// Ends the session without a word to the handler or the server. To be called once the session is not needed, also after a failure.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    handler = nil
    // From now on callbacks find nothing.
    Http2SessionTable.remove(id)
    if depth == 0 { free() }
  }

  private func free() {
    guard let native else { return }
    self.native = nil
    nghttp2_session_del(native)
    streams = []
    freeSlots = []
    written = []
    feeds = [:]
  }

  var isOpen: Bool { !isClosed && native != nil }

  /// Runs what may call back; nghttp2 must not be freed meanwhile.
  func calling(_ body: (OpaquePointer) -> Void) {
    guard !isClosed, let native else { return }
    depth += 1
    body(native)
    depth -= 1
    if isClosed {
      if depth == 0 { free() }
    } else if let failure, !failureIsTold {
      failureIsTold = true
      handler?.sessionFailed(failure)
    }
  }

  // MARK: Streams

  /// Slots that streams have had so far.
  var slotCount: Int { streams.count }

  /// How many streams may be open at a time.
  var maxStreams: Int {
    guard let native else { return 0 }
    let allowed = nghttp2_session_get_remote_settings(native, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return min(settings.maxStreams, Int(allowed))
  }

  /// A request may be submitted now.
  var mayOpen: Bool {
    guard isOpen, failure == nil, !serverIsGoing, openCount < maxStreams else { return false }
    return nghttp2_session_check_request_allowed(native) != 0
  }

  /// Neither side will say more that matters.
  var isFinished: Bool {
    guard isOpen else { return true }
    return nghttp2_session_want_read(native) == 0 && nghttp2_session_want_write(native) == 0
  }

  /// There is something for ``gather(into:upTo:)``.
  var wantsWrite: Bool { isOpen && nghttp2_session_want_write(native) != 0 }

  /// Queues a request; nil if the session takes none. `head` is as HTTP/1.1 writes it; the body is what `feed` gives, or what `body` holds from
  /// `bodyStart` on. `holdsBody`: it waits for ``sendHeldBody(_:)``.
  func submit(
    head: UnsafeRawBufferPointer, isSecure: Bool, body: [UInt8] = [], from bodyStart: Int = 0, feed: BodyFeed? = nil,
    holdsBody: Bool = false
  ) -> Http2Stream? {
    guard isOpen, failure == nil, !serverIsGoing else { return nil }
    let slot = freeSlots.popLast() ?? Int32(truncatingIfNeeded: streams.count)
    if Int(slot) == streams.count { streams.append(StreamState()) }
    Http2RequestHead.read(head, isSecure: isSecure, into: &fields)
    defer { fields.removeAll(keepingCapacity: true) }
    let tag = UnsafeMutableRawPointer(bitPattern: Int(slot) + 1)
    let number: Int32
    if bodyStart < body.count || feed != nil {
      var provider = nghttp2_data_provider()
      provider.source.fd = slot
      provider.read_callback = Http2SessionTable.readBody
      number = nghttp2_submit_request(native, nil, fields, fields.count, &provider, tag)
    } else {
      number = nghttp2_submit_request(native, nil, fields, fields.count, nil, tag)
    }
    guard number > 0 else {
      freeSlots.append(slot)
      return nil
    }
    streams[Int(slot)] = StreamState(
      number: number, holdsBody: holdsBody, body: feed == nil ? body : [], bodyStart: min(bodyStart, body.count),
      bodyOffset: min(bodyStart, body.count))
    if let feed { feeds[number] = feed }
    openCount += 1
    return Http2Stream(slot: slot, number: number)
  }

  /// The state of a stream that is not over, by its name.
  func isLive(_ stream: Http2Stream) -> Bool {
    stream.index < streams.count && streams[stream.index].number == stream.number && !streams[stream.index].isOver
  }

  /// The slot may be used again.
  func forget(_ stream: Http2Stream) {
    streams[stream.index] = StreamState()
    freeSlots.append(stream.slot)
    openCount -= 1
    if !troubles.isEmpty { troubles[stream.number] = nil }
    if !feeds.isEmpty { feeds[stream.number] = nil }
    if lastFound == stream { lastFound = nil }
  }
}
