/// What a TLS handshake agreed on.
public struct TlsFacts: Sendable, Hashable {
  /// Such as `TLSv1.3`.
  public let version: String
  /// Such as `TLS_AES_256_GCM_SHA384`.
  public let cipher: String
  /// Whether an earlier session was taken up.
  public let isResumed: Bool
  /// The protocol that the server chose by ALPN; nil if it chose none.
  public let alpn: String?
  /// The subject of the server's certificate, such as `CN=api.example.com`.
  public let subject: String
  /// False if the settings said not to verify.
  public let isVerified: Bool
}

/// How far a handshake is.
public enum TlsProgress: Sendable {
  case done
  /// Call again when the socket is readable.
  case wantsRead
  /// Call again when the socket is writable.
  case wantsWrite
  case failed(TlsError)
}
