internal import EventLoop
internal import HttpWire

/// Sessions of services, as their envelopes tell of them.
extension RequestEngine {
  /// A request was answered as one is whose session is valid.
  func sessionHolds(_ item: RequestItem) {
    guard configuration.onSessionInvalid != nil, let envelope = item.rules.normalizer.envelope else { return }
    sessions.succeeded(scope(of: item, envelope), submitted: item.stamps.submitted, at: EventLoop.shared.now)
  }

  /// A request was told that its session is over.
  func sessionEnded(_ item: RequestItem, _ envelope: EnvelopeProfile, _ error: HttpClientError) {
    guard let tell = configuration.onSessionInvalid else { return }
    guard sessions.ended(scope(of: item, envelope), submitted: item.stamps.submitted, at: EventLoop.shared.now) else { return }
    let url = item.conversation?.url ?? item.info.url
    let origin = (try? HttpUrl(url)).map { "\($0.scheme)://\($0.hostHeader)" } ?? item.origin.description
    let report = SessionInvalid(
      service: item.rules.service, origin: origin, envelope: envelope.name, code: error.serviceCode ?? "", message: error.message,
      request: item.info)
    deliveries.run { tell(report) }
  }

  private func scope(of item: RequestItem, _ envelope: EnvelopeProfile) -> SessionWatch.Scope {
    item.rules.service.map { .service($0) } ?? .origin(item.origin, envelope: envelope.name)
  }
}
