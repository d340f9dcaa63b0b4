internal import EventLoop

/// What requests are checked by and completed with, the same for all of a client's. Any thread.
final class RequestPreparer: Sendable {
  // One reference, for these are large and requests are many.
  let configuration: HttpClient.Configuration
  let defaults: DefaultHeaders
  let proxies: ProxyRules
  let tls: TlsContexts
  let authenticator: Authenticator
  let rules: RulesByExpectation

  init(_ configuration: HttpClient.Configuration, _ environment: ProxyEnvironment) {
    self.configuration = configuration
    defaults = DefaultHeaders(configuration)
    proxies = ProxyRules(configuration.proxy, environment)
    tls = TlsContexts(configuration)
    authenticator = Authenticator(configuration)
    rules = RulesByExpectation(configuration)
  }
}
