internal import COpenSSL

/// The thread's queue of OpenSSL errors.
enum OpenSslErrors {
  struct Entry {
    let library: Int32
    let reason: Int32
    let words: String

    func isSsl(_ reasons: Int32...) -> Bool {
      library == ERR_LIB_SSL && reasons.contains(reason)
    }

    /// There is no further object in a PEM text.
    var isEndOfPem: Bool { library == ERR_LIB_PEM && reason == PEM_R_NO_START_LINE }

    /// The number of the alert that the peer sent, if that is what the error is.
    var alert: Int32? {
      let alerts = SSL_AD_REASON_OFFSET...SSL_AD_REASON_OFFSET + 255
      return library == ERR_LIB_SSL && alerts.contains(reason) ? reason - SSL_AD_REASON_OFFSET : nil
    }
  }

  static func clear() {
    ERR_clear_error()
  }

  /// The oldest error, which is the cause of those after it; empties the queue.
  static func take() -> Entry? {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0 else { return nil }
    let words = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    return Entry(library: ERR_GET_LIB(code), reason: ERR_GET_REASON(code), words: words)
  }
}
