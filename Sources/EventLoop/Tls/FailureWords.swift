internal import COpenSSL

/// Says what OpenSSL reports of a peer, for people.
struct FailureWords {
  let host: String
  let alpn: [String]
  let settings: TlsSettings
  let inHandshake: Bool

  var closed: TlsError {
    TlsError(
      .closed,
      inHandshake ? "\(host) closed the connection in the middle of the TLS handshake" : "\(host) ended the connection without close_notify"
    )
  }

  func error(for entry: OpenSslErrors.Entry) -> TlsError {
    if let alert = entry.alert { return refusal(alert) }
    if entry.isSsl(SSL_R_UNEXPECTED_EOF_WHILE_READING) { return closed }
    if entry.isSsl(SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW) { return versionError }
    if inHandshake, entry.isSsl(SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_RECORD_TOO_SMALL) {
      return TlsError(.notTls, "what answers at \(host) does not speak TLS")
    }
    return TlsError(.protocolFault, "\(host) broke the TLS protocol: \(entry.words)")
  }

  private var versionError: TlsError {
    TlsError(.version, "\(host) does not speak TLS \(settings.minVersion.rawValue)\(settings.minVersion == .tls13 ? "" : " or newer")")
  }

  private func refusal(_ alert: Int32) -> TlsError {
    let hasCertificate = settings.certificateFile != nil || settings.certificatePem != nil
    switch alert {
    case SSL3_AD_HANDSHAKE_FAILURE:
      let words = "it shares no cipher or other parameter with this client"
      return TlsError(.refused, "\(host) refused the TLS handshake: \(words) (alert handshake failure)")
    case TLS1_AD_PROTOCOL_VERSION:
      return versionError
    case TLS1_AD_UNRECOGNIZED_NAME:
      return TlsError(.refused, "the server does not know the name \(host) (alert unrecognized name)")
    case TLS1_AD_NO_APPLICATION_PROTOCOL:
      return TlsError(.refused, "\(host) speaks none of \(alpn.joined(separator: ", ")) (alert no application protocol)")
    case TLS13_AD_CERTIFICATE_REQUIRED:
      return TlsError(.refused, "\(host) asks for a client certificate (alert certificate required)")
    default:
      let words = SSL_alert_desc_string_long(alert).map { String(cString: $0) } ?? "unknown"
      let whom = hasCertificate && FailureWords.certificateAlerts.contains(alert) ? "the client certificate" : "the connection"
      return TlsError(.refused, "\(host) refused \(whom) (alert \(words))")
    }
  }

  private static let certificateAlerts = [
    SSL3_AD_BAD_CERTIFICATE, SSL3_AD_UNSUPPORTED_CERTIFICATE, SSL3_AD_CERTIFICATE_REVOKED, SSL3_AD_CERTIFICATE_EXPIRED,
    SSL3_AD_CERTIFICATE_UNKNOWN, TLS1_AD_UNKNOWN_CA, TLS1_AD_ACCESS_DENIED,
  ]
}
