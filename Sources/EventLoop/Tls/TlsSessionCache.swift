internal import COpenSSL
import Glibc

/// Sessions that later connections to the same host and port may take up. A ticket of TLS 1.3 is given out once (RFC 8446 appendix C.4).
struct TlsSessionCache {
  /// Sessions in all; above this those of the host that was quiet for longest are forgotten.
  static let maxSessions = 1_024
  /// Sessions for one host and port; above this the oldest is forgotten.
  static let maxSessionsPerHost = 16

  struct Key: Hashable {
    let host: String
    let port: UInt16
  }

  private struct Entry {
    var sessions: [TlsSession] = []
    var lastUse: UInt64 = 0
  }

  private var entries: [Key: Entry] = [:]
  private var uses: UInt64 = 0
  private(set) var count = 0

  mutating func add(_ session: TlsSession, for key: Key) {
    uses += 1
    var entry = entries.removeValue(forKey: key) ?? Entry()
    count -= entry.sessions.count
    if !session.isSingleUse { entry.sessions.removeAll { !$0.isSingleUse } }
    entry.sessions.append(session)
    if entry.sessions.count > TlsSessionCache.maxSessionsPerHost { entry.sessions.removeFirst() }
    entry.lastUse = uses
    count += entry.sessions.count
    entries[key] = entry
    while count > TlsSessionCache.maxSessions, let quiet = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      count -= quiet.value.sessions.count
      entries[quiet.key] = nil
    }
  }

  /// The newest session that is still good.
  mutating func take(_ key: Key) -> TlsSession? {
    uses += 1
    entries[key]?.lastUse = uses
    while let session = entries[key]?.sessions.last {
      if session.isSingleUse || !session.isUsable { removeLast(key) }
      if session.isUsable { return session }
    }
    return nil
  }

  /// Forgets the sessions of a host, as after a handshake that failed with one.
  mutating func remove(_ key: Key) {
    count -= entries.removeValue(forKey: key)?.sessions.count ?? 0
  }

  private mutating func removeLast(_ key: Key) {
    entries[key]?.sessions.removeLast()
    count -= 1
    if entries[key]?.sessions.isEmpty == true { entries[key] = nil }
  }
}

/// One reference to a session.
final class TlsSession: @unchecked Sendable {
  // SAFETY: OpenSSL counts references to a session atomically, and connections only read one that was established.
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    SSL_SESSION_free(pointer)
  }

  var isSingleUse: Bool { SSL_SESSION_get_protocol_version(pointer) >= TLS1_3_VERSION }

  /// Neither out of its lifetime nor outlived by the certificate that it was verified with.
  var isUsable: Bool {
    guard SSL_SESSION_is_resumable(pointer) == 1, let certificate = CertificateWords(SSL_SESSION_get0_peer(pointer)) else { return false }
    let age = time(nil) - Int(SSL_SESSION_get_time(pointer))
    return age >= 0 && age < Int(SSL_SESSION_get_timeout(pointer)) && !certificate.isExpired
  }
}
