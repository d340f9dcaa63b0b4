internal import COpenSSL

extension TlsStream {
  /// In lower case, and without the dot of an absolute name, which is neither told nor compared.
  static func normalized(_ host: String) -> String {
    let lower = host.lowercased()
    return lower.utf8.last == UInt8(ascii: ".") ? String(lower.dropLast()) : lower
  }

  func makeSsl() throws(TlsError) -> OpaquePointer {
    // To OpenSSL an empty name is no check, and a dot before it stands for all names below.
    guard !host.isEmpty, !host.hasPrefix("."), host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw TlsError(.settings, "\(host.debugDescription) is no host name to verify")
    }
    OpenSslErrors.clear()
    guard let ssl = SSL_new(context.pointer) else {
      throw TlsError(.settings, "OpenSSL: \(OpenSslErrors.take()?.words ?? "no connection")")
    }
    do throws(TlsError) {
      try setUp(ssl)
      return ssl
    } catch {
      SSL_free(ssl)
      throw error
    }
  }

  private func setUp(_ ssl: OpaquePointer) throws(TlsError) {
    errand_set_id(ssl, id)
    SSL_set_connect_state(ssl)
    let bio: OpaquePointer?
    if let outer = under.tls {
      bio = outer.ssl.flatMap { errand_bio_over($0) }
    } else {
      bio = BIO_new(TlsStream.socketMethod)
      if let bio { errand_bio_set(bio, under.descriptor, 0) }
    }
    guard let bio else { throw TlsError(.connection, "the connection to \(host) is closed") }
    SSL_set_bio(ssl, bio, bio)
    let parameters = SSL_get0_param(ssl)
    if SocketAddress.ip(host, port: 0) != nil {
      guard X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 else { throw TlsError(.settings, "\(host) is no address to verify") }
    } else {
      guard X509_VERIFY_PARAM_set1_host(parameters, host, host.utf8.count) == 1, errand_set_server_name(ssl, host) == 1 else {
        throw TlsError(.settings, "\(host.prefix(80))… is no host name to verify: it has \(host.utf8.count) characters")
      }
    }
    if !alpn.isEmpty {
      let list = alpn.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
      guard alpn.allSatisfy({ (1...255).contains($0.utf8.count) }), SSL_set_alpn_protos(ssl, list, UInt32(list.count)) == 0 else {
        throw TlsError(.settings, "the protocols \(alpn.joined(separator: ", ")) can't be offered")
      }
    }
    if resumes, let session = context.sessions.withLock({ $0.take(key) }) { SSL_set_session(ssl, session.pointer) }
  }

  func chosenProtocol(_ ssl: OpaquePointer) -> String? {
    var bytes: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &bytes, &count)
    guard let bytes, count > 0 else { return nil }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }

  private static let socketMethod = errand_bio_method()
}
