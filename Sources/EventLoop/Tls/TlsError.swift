/// Why a TLS connection could not be made, or ended: in words, with the certificate at fault, and without secrets.
public struct TlsError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of thing went wrong; the description has the words.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A setting of ours, or a file that it names, is of no use. Nothing was sent.
    case settings
    /// A certificate has expired.
    case expired
    /// A certificate is not valid yet.
    case notYetValid = "not_yet_valid"
    /// The certificate does not cover the host.
    case nameMismatch = "name_mismatch"
    /// The chain does not end at a trusted authority, or the server left out a part of it.
    case unknownIssuer = "unknown_issuer"
    /// The server's certificate is signed by itself, and not trusted.
    case selfSigned = "self_signed"
    /// No certificate has one of the pins.
    case pinMismatch = "pin_mismatch"
    /// Anything else that is wrong with a certificate.
    case badCertificate = "bad_certificate"
    /// The server refused, with an alert.
    case refused
    /// What the peer sent is no TLS.
    case notTls = "not_tls"
    /// There is no version of TLS that both sides allow.
    case version
    /// The peer closed the connection in the middle of the handshake.
    case closed
    /// The connection below failed.
    case connection
    /// The peer broke the protocol.
    case protocolFault = "protocol_fault"
  }

  public let kind: Kind
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
