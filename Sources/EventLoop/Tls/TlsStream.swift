internal import COpenSSL

/// A TLS connection as its client, on top of a socket or of another TLS connection. Never blocks and never raises SIGPIPE: the caller
/// watches the socket and calls again when it is ready.
///
/// After the handshake, and after each ``receive(into:)``, ask ``hasUnread``: what TLS has taken from the socket makes it no longer readable.
@LoopActor
public final class TlsStream {
  private static var streams: [UInt: Weak] = [:]
  private static var nextID: UInt = 1

  private struct Weak {
    weak var stream: TlsStream?
  }

  static func withID(_ id: UInt) -> TlsStream? { streams[id]?.stream }

  /// How many have not been closed.
  static var openCount: Int { streams.count }

  let context: TlsContext
  let host: String
  let under: ByteStream
  private(set) var ssl: OpaquePointer?
  let id: UInt
  let alpn: [String]
  let key: TlsSessionCache.Key
  let resumes: Bool
  /// The first thing that went wrong in the handshake.
  private var failure: TlsError?
  private var isVerified = false
  private var isEstablished = false
  private var mayHaveMore = false
  private var handshakeBytes = 0
  private var end: StreamRead?
  /// What the handshake agreed on; nil before its end.
  public private(set) var facts: TlsFacts?
  /// The reading half waits until the socket is writable, which happens when the peer changes keys and the kernel is full.
  public private(set) var readWantsWrite = false

  /// A connection to `host`, which is verified and, if it is a name, told to the server (SNI). `alpn` lists protocols in order of preference;
  /// empty: none are offered. `resume`: earlier sessions with this host and port are taken up, and this one's kept. Nothing is sent yet.
  public init(_ context: TlsContext, over under: ByteStream, host: String, port: UInt16, alpn: [String], resume: Bool) {
    self.context = context
    self.under = under
    self.alpn = alpn
    self.host = TlsStream.normalized(host)
    key = TlsSessionCache.Key(host: self.host, port: port)
    resumes = resume
    id = TlsStream.nextID
    TlsStream.nextID += 1
    do throws(TlsError) {
      ssl = try makeSsl()
      TlsStream.streams[id] = Weak(stream: self)
    } catch {
      failure = error
    }
  }

  isolated deinit {
    release()
  }

  public var descriptor: Int32 { under.descriptor }

  // MARK: Handshake

  /// Goes on with the handshake as far as what has arrived allows. One call may take a millisecond or more: see ``HandshakePacer``.
  public func handshake() -> TlsProgress {
    if let failure { return .failed(failure) }
    guard let ssl else { return .failed(TlsError(.closed, "the connection was closed")) }
    if isEstablished { return .done }
    OpenSslErrors.clear()
    fund()
    let result = SSL_do_handshake(ssl)
    handshakeBytes += TlsStream.readLimit - funds
    if result == 1 { return established(ssl) }
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ where handshakeBytes > TlsStream.handshakeLimit:
      let error = TlsError(.protocolFault, "the handshake with \(host) is longer than \(TlsStream.handshakeLimit) bytes")
      failure = error
      return .failed(error)
    case SSL_ERROR_WANT_READ: return .wantsRead
    case SSL_ERROR_WANT_WRITE: return .wantsWrite
    case let code:
      let error = failure ?? explain(code, inHandshake: true)
      failure = error
      if resumes { context.sessions.withLock { $0.remove(key) } }
      return .failed(error)
    }
  }

  private func established(_ ssl: OpaquePointer) -> TlsProgress {
    let isResumed = SSL_session_reused(ssl) == 1
    guard let certificate = CertificateWords(SSL_get0_peer_certificate(ssl)), isVerified || isResumed else {
      // Ciphers without certificates, which a caller's list may allow.
      let error = TlsError(.badCertificate, "\(host) sent no certificate")
      failure = error
      return .failed(error)
    }
    isEstablished = true
    mayHaveMore = true
    facts = TlsFacts(
      version: String(cString: SSL_get_version(ssl)), cipher: String(cString: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))),
      isResumed: isResumed, alpn: chosenProtocol(ssl), subject: certificate.subject, isVerified: context.settings.verify)
    if isResumed, !context.settings.verify { context.onUnverified?("the certificate of \(host) was not verified, as the settings say") }
    return .done
  }

  func verify(chainAt address: UInt) -> Bool {
    guard let store = OpaquePointer(bitPattern: address) else { return false }
    let check = ChainCheck(context: context, host: host)
    if let error = check.problem(with: store) {
      failure = failure ?? error
      return false
    }
    isVerified = true
    return true
  }

  func keep(sessionAt address: UInt) -> Bool {
    guard resumes, let session = OpaquePointer(bitPattern: address), isVerified || isEstablished else { return false }
    context.sessions.withLock { $0.add(TlsSession(owning: session), for: key) }
    return true
  }

  // MARK: What one call may read

  /// Bytes that one call of OpenSSL may take from the socket: more than any message of the handshake or record has, and few enough that a peer
  /// who sends what OpenSSL takes without a word (empty handshake messages, new keys, tickets) can't hold the loop.
  static let readLimit = 65_536
  /// Bytes of a whole handshake.
  static let handshakeLimit = 524_288

  private func fund() {
    if let outer = under.tls { return outer.fund() }
    if let ssl, let bio = SSL_get_rbio(ssl) { errand_bio_fund(bio, TlsStream.readLimit) }
  }

  private var funds: Int {
    if let outer = under.tls { return outer.funds }
    return ssl.flatMap { SSL_get_rbio($0) }.map { errand_bio_funds($0) } ?? 0
  }

  // MARK: Bytes

  /// Reads what has arrived into `buffer`, as many records as it holds.
  public func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamRead {
    if let end { return end }
    guard let ssl, isEstablished else { return .closed }
    readWantsWrite = false
    var filled = 0
    repeat {
      var count = 0
      OpenSslErrors.clear()
      fund()
      guard SSL_read_ex(ssl, buffer.baseAddress?.advanced(by: filled), buffer.count - filled, &count) == 1 else {
        let stop = stopped(ssl)
        return filled > 0 ? .bytes(filled) : stop
      }
      filled += count
    } while filled < buffer.count && hasPending
    mayHaveMore = filled == buffer.count
    return .bytes(filled)
  }

  /// Why a read gave nothing. All but `wouldBlock` is kept for the next call.
  private func stopped(_ ssl: OpaquePointer) -> StreamRead {
    mayHaveMore = false
    switch SSL_get_error(ssl, 0) {
    case SSL_ERROR_WANT_READ where funds <= 0:
      end = .failed(.tls(TlsError(.protocolFault, "\(host) sends TLS messages without end and no data")))
    case SSL_ERROR_WANT_READ: return .wouldBlock
    case SSL_ERROR_WANT_WRITE:
      readWantsWrite = true
      return .wouldBlock
    case SSL_ERROR_ZERO_RETURN: end = .closed
    case let code: end = .failed(failed(code))
    }
    return end ?? .closed
  }

  /// Whether a call of ``receive(into:)`` may give something, or tell an end, though the socket is not readable.
  public var hasUnread: Bool {
    end != nil || (mayHaveMore && hasPending)
  }

  private var hasPending: Bool {
    (ssl.map { SSL_has_pending($0) == 1 } ?? false) || (under.tls?.hasPending ?? false)
  }

  /// Writes as much of `bytes` as the kernel takes. After `wouldBlock`, or when not all was sent, the next call must begin with the bytes
  /// that follow, and may not have fewer of them: TLS has already sealed some.
  public func send(_ bytes: UnsafeRawBufferPointer) -> StreamWrite {
    guard let ssl, isEstablished else { return .failed(.system(SystemError(errno: EPIPE, call: "send"))) }
    var sent = 0
    while sent < bytes.count {
      var count = 0
      OpenSslErrors.clear()
      if SSL_write_ex(ssl, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, &count) == 1 {
        sent += count
        continue
      }
      let code = SSL_get_error(ssl, 0)
      guard code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE else { return .failed(failed(code)) }
      return sent > 0 ? .sent(sent) : .wouldBlock
    }
    return .sent(sent)
  }

  /// Says goodbye to the peer (close_notify) and lets go of what OpenSSL holds. The socket stays open.
  public func shutdown() {
    guard let ssl else { return }
    if isEstablished, failure == nil {
      OpenSslErrors.clear()
      SSL_shutdown(ssl)
      OpenSslErrors.clear()
    }
    release()
  }

  private func release() {
    TlsStream.streams[id] = nil
    if let ssl { SSL_free(ssl) }
    ssl = nil
  }

  // MARK: Failing

  private func failed(_ code: Int32) -> StreamError {
    let error = explain(code, inHandshake: false)
    // OpenSSL refuses to say goodbye on a connection that has failed.
    failure = failure ?? error
    switch error.kind {
    case .closed: return .truncated
    case .connection: return systemError.map { .system($0) } ?? .truncated
    default: return .tls(error)
    }
  }

  /// The error of the last system call that failed, at the bottom of all layers.
  private var systemError: SystemError? {
    if let outer = under.tls { return outer.systemError }
    guard let ssl, let bio = SSL_get_rbio(ssl) else { return nil }
    let error = errand_bio_error(bio)
    return error == 0 ? nil : SystemError(errno: error, call: "tls")
  }

  private func explain(_ code: Int32, inHandshake: Bool) -> TlsError {
    let entry = OpenSslErrors.take()
    if code == SSL_ERROR_SYSCALL || entry == nil {
      if let systemError { return TlsError(.connection, "the connection to \(host) failed: \(systemError.reason)") }
      return closedError(inHandshake)
    }
    guard let entry else { return closedError(inHandshake) }
    return FailureWords(host: host, alpn: alpn, settings: context.settings, inHandshake: inHandshake).error(for: entry)
  }

  private func closedError(_ inHandshake: Bool) -> TlsError {
    FailureWords(host: host, alpn: alpn, settings: context.settings, inHandshake: inHandshake).closed
  }
}
