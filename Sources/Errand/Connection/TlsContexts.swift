internal import Dispatch
internal import EventLoop

/// What a client needs for TLS, made ready on the threads of its callers: the loop never reads the files.
final class TlsContexts: Sendable {
  private struct Made {
    var context: TlsContext?
    var lookedAt = Instant(nanoseconds: 0)
  }

  private let settings: TlsSettings
  private let proxySettings: TlsSettings
  private let cache: TlsContextCache
  private let made = Locked(Made())
  private let madeForProxies = Locked(Made())
  /// How long the files of the client's settings are taken to be as they were.
  private static let staleAfter = Duration.seconds(1)

  init(_ configuration: HttpClient.Configuration) {
    settings = configuration.tls
    proxySettings = configuration.proxyTls
    cache = TlsContextCache(onUnverified: configuration.onUnverifiedTls)
  }

  /// The context of a request that brings settings of its own; nil for one that leaves them to its client, whose context is made ready.
  func context(for request: HttpRequest, at now: Instant) throws(HttpClientError) -> TlsContext? {
    guard let own = request.tls, own != settings else {
      try prepare(made, settings, now)
      return nil
    }
    do throws(TlsError) {
      return try cache.context(for: own)
    } catch {
      throw .invalid("tls", error.description)
    }
  }

  /// Makes ready what ``context(for:at:)`` gives for requests that bring these settings.
  func prepare(_ settings: TlsSettings) throws(TlsError) {
    _ = try cache.context(for: settings)
  }

  /// Makes ready what ``forProxies`` gives.
  func prepareForProxies(at now: Instant) throws(HttpClientError) {
    try prepare(madeForProxies, proxySettings, now)
  }

  /// Makes ready what the client's own settings name.
  func prepareOwn() throws(HttpClientError) {
    try prepare(made, settings, .now())
  }

  /// Of the client's own settings; nil if no request has needed it.
  var own: TlsContext? { made.withLock { $0.context } }

  var forProxies: TlsContext? { madeForProxies.withLock { $0.context } }

  private func prepare(_ made: Locked<Made>, _ settings: TlsSettings, _ now: Instant) throws(HttpClientError) {
    let (isFresh, isThere) = made.withLock { made in
      let isThere = made.context != nil
      if isThere, made.lookedAt.duration(to: now) < TlsContexts.staleAfter { return (true, true) }
      made.lookedAt = now
      return (false, isThere)
    }
    if isFresh { return }
    if isThere, EventLoop.shared.isOnLoop {
      // The disk is not for the loop: this connection goes with what is there, a later one with what is found now.
      return DispatchQueue.global().async { try? self.make(made, settings) }
    }
    try make(made, settings)
  }

  private func make(_ made: Locked<Made>, _ settings: TlsSettings) throws(HttpClientError) {
    do throws(TlsError) {
      let context = try cache.context(for: settings)
      made.withLock { $0.context = context }
    } catch {
      // One that was good once stays in use until the files are good again.
      if made.withLock({ $0.context != nil }) { return }
      throw HttpClientError(.tls, phase: .tls, message: error.description)
    }
  }
}
