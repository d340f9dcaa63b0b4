internal import EventLoop
internal import HttpWire

extension HttpRequest {
  /// Who asks, to the cache; nil while that hangs on a token that is not there yet.
  ///
  /// - Parameter said: How the exchange says it.
  func asker(saying said: AuthUse, over client: TlsSettings) -> CacheAsker? {
    let asker: CacheAsker
    switch said {
    case .awaitsToken: return nil
    case .token(let token): asker = CacheAsker(.bearer(token))
    case .own: asker = CacheAsker(headers)
    // Credentials that wait for a challenge are those of the asker before he has said them, too.
    case .nothing, .basic, .bearer, .digest: asker = options.credentials.map { CacheAsker($0) } ?? CacheAsker(headers)
    }
    let tls = options.tls ?? client
    return asker.with(identity: Array((tls.certificatePem ?? tls.certificateFile ?? "").utf8))
  }
}
