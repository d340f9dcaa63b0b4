public import EventLoop

extension HttpClient {
  /// Makes ready what requests with these TLS settings need, so that submitting one reads no file and parses no key: for those that are submitted
  /// on the loop. Blocks, so not for the loop. Throws what is wrong with the settings.
  public func prepareTls(_ settings: TlsSettings) throws(TlsError) {
    try engine.preparer.tls.prepare(settings)
  }
}
