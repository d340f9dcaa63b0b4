internal import COpenSSL

/// Decides on the chain that a server sent: RFC 5280 by OpenSSL, the name by RFC 9525 (subject alternative names only, no partial wildcards,
/// addresses against iPAddress alone), and the pins.
struct ChainCheck {
  let context: TlsContext
  let host: String

  /// What is wrong, or nil. Sets the store's result to what was decided, for OpenSSL makes the alert of it.
  func problem(with store: OpaquePointer) -> TlsError? {
    OpenSslErrors.clear()
    guard let leaf = CertificateWords(X509_STORE_CTX_get0_cert(store)) else {
      return TlsError(.badCertificate, "\(host) sent no certificate")
    }
    let settings = context.settings
    let problem: TlsError?
    if !settings.verify {
      problem = isPinned(leaf.certificate) ? nil : pinMismatch(leaf)
      if problem == nil { tellUnverified(store, leaf) }
    } else if settings.pinMode == .pinOnly {
      problem = pinOnlyProblem(leaf)
    } else if X509_verify_cert(store) == 1 {
      problem = isPinned(anyOf: X509_STORE_CTX_get0_chain(store)) ? nil : pinMismatch(leaf)
    } else {
      problem = chainProblem(store, leaf)
    }
    OpenSslErrors.clear()
    guard let problem else {
      X509_STORE_CTX_set_error(store, X509_V_OK)
      return nil
    }
    if X509_STORE_CTX_get_error(store) == X509_V_OK { X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED) }
    return problem
  }

  // MARK: Pins

  private func isPinned(_ certificate: OpaquePointer?) -> Bool {
    if context.pins.isEmpty { return true }
    guard let pin = CertificateWords(certificate)?.pin else { return false }
    return context.pins.contains { $0.text == pin }
  }

  private func isPinned(anyOf chain: OpaquePointer?) -> Bool {
    if context.pins.isEmpty { return true }
    return (0..<max(errand_chain_count(chain), 0)).contains { isPinned(errand_chain_certificate(chain, $0)) }
  }

  private func pinMismatch(_ leaf: CertificateWords) -> TlsError {
    TlsError(.pinMismatch, "the certificate of \(host) (\(leaf.subject)) has none of the pins: its own is \(leaf.pin ?? "unknown")")
  }

  private func pinOnlyProblem(_ leaf: CertificateWords) -> TlsError? {
    guard isPinned(leaf.certificate) else { return pinMismatch(leaf) }
    if leaf.isNotYetValid { return notYetValid(leaf, depth: 0) }
    if leaf.isExpired { return expired(leaf, depth: 0) }
    let flags = UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    let isCovered =
      SocketAddress.ip(host, port: 0) != nil
      ? X509_check_ip_asc(leaf.certificate, host, flags) == 1 : X509_check_host(leaf.certificate, host, host.utf8.count, flags, nil) == 1
    return isCovered ? nil : nameMismatch(leaf)
  }

  private func tellUnverified(_ store: OpaquePointer, _ leaf: CertificateWords) {
    guard let tell = context.onUnverified else { return }
    let isGood = X509_verify_cert(store) == 1
    let found = isGood ? "it would have been accepted" : chainProblem(store, leaf).description
    tell("the certificate of \(host) was not verified, as the settings say: \(found)")
  }

  // MARK: Words

  private func chainProblem(_ store: OpaquePointer, _ leaf: CertificateWords) -> TlsError {
    let code = X509_STORE_CTX_get_error(store)
    let depth = X509_STORE_CTX_get_error_depth(store)
    let faulty = CertificateWords(X509_STORE_CTX_get_current_cert(store)) ?? leaf
    switch code {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return expired(faulty, depth: depth)
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return notYetValid(faulty, depth: depth)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      return nameMismatch(leaf)
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return TlsError(.selfSigned, "\(certificate(leaf, 0)) is signed by itself, and is not trusted")
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      let what = "the chain of \(certificate(leaf, 0)) ends at this authority, which is not trusted\(trustNote)"
      return TlsError(.unknownIssuer, "unknown issuer \(faulty.subject): \(what)")
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      let note = depth == 0 ? "neither trusted nor sent by the server (is an intermediate certificate missing?)" : "not trusted"
      return TlsError(.unknownIssuer, "unknown issuer \(faulty.issuer): what signed \(certificate(faulty, depth)) is \(note)\(trustNote)")
    case X509_V_ERR_INVALID_CA, X509_V_ERR_INVALID_NON_CA, X509_V_ERR_KEYUSAGE_NO_CERTSIGN:
      return TlsError(.badCertificate, "\(certificate(faulty, depth)) is not that of an authority, but signed another")
    case X509_V_ERR_INVALID_PURPOSE:
      return TlsError(.badCertificate, "\(certificate(faulty, depth)) is not meant for a server")
    case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION:
      return TlsError(.badCertificate, "\(certificate(faulty, depth)) has names that its issuer may not give: \(list(faulty))")
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
      return TlsError(.badCertificate, "\(certificate(faulty, depth)) has too small a key")
    case X509_V_ERR_CA_MD_TOO_WEAK:
      return TlsError(.badCertificate, "\(certificate(faulty, depth)) is signed with too weak a hash")
    default:
      let words = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "error \(code)"
      return TlsError(.badCertificate, "\(certificate(faulty, depth)): \(words)")
    }
  }

  private var trustNote: String { context.trustNote.map { " (\($0))" } ?? "" }

  private func certificate(_ certificate: CertificateWords, _ depth: Int32) -> String {
    depth == 0 ? "the certificate of \(host) (\(certificate.subject))" : "the certificate \(certificate.subject) in the chain of \(host)"
  }

  private func expired(_ faulty: CertificateWords, depth: Int32) -> TlsError {
    TlsError(.expired, "\(certificate(faulty, depth)) expired on \(faulty.notAfter)")
  }

  private func notYetValid(_ faulty: CertificateWords, depth: Int32) -> TlsError {
    TlsError(.notYetValid, "\(certificate(faulty, depth)) is not valid before \(faulty.notBefore)")
  }

  private func nameMismatch(_ leaf: CertificateWords) -> TlsError {
    TlsError(.nameMismatch, "the certificate does not cover \(host): it has \(list(leaf))")
  }

  private func list(_ certificate: CertificateWords) -> String {
    let names = certificate.names
    return names.isEmpty ? "no names, and its subject (\(certificate.subject)) does not count" : names.joined(separator: ", ")
  }
}
