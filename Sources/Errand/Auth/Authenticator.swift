internal import Hashing
internal import HttpWire

/// Says who is asking: what goes into the Authorization and Proxy-Authorization fields of a client's requests. Any thread.
final class Authenticator: Sendable {
  let memory = AuthMemory()
  let tokens: TokenBroker

  init(_ configuration: HttpClient.Configuration) {
    tokens = TokenBroker(timeout: configuration.tokenTimeout)
  }

  /// What is asked, as far as an answer may depend on it.
  struct Subject {
    let method: HttpMethod
    let url: HttpUrl
    /// nil: not known before it is sent. An answer to a challenge is made off the loop, where it may take long.
    let bodyHash: (HashAlgorithm, _ mayTakeLong: Bool) -> [UInt8]?
  }

  /// Adds what is to be said to `headers`. `toProxy`: what a proxy that asked for nothing yet is told. `subject` is called for few requests only.
  /// Throws `invalid_request` for credentials that can't be sent.
  func authorize(
    _ headers: inout HttpHeaders, _ request: borrowing HttpRequest, _ plan: ProxyPlan, toProxy: String?, _ answers: AuthAnswers?,
    _ subject: () -> Subject
  ) throws(HttpClientError) -> AuthUses {
    var uses = AuthUses()
    if let toProxy, case .forward(let proxy) = plan, let credentials = proxy.credentials {
      let said = try self.toProxy(HttpCredentials(credentials), AuthSpace(proxy), subject(), answers?.proxy)
      headers.append("Proxy-Authorization", said?.value ?? toProxy)
      uses.proxy = said?.use ?? .basic
    }
    guard let box = request.optionBox, box.value.credentials != nil || box.value.tokenSource != nil else { return uses }
    let options = box.value
    let subject = subject()
    guard !headers.contains("Authorization") else {
      uses.origin = .own
      return uses
    }
    if let credentials = options.credentials {
      if let (value, use) = try toOrigin(credentials, subject, answers?.origin) {
        headers.append("Authorization", value)
        uses.origin = use
      }
    } else if let source = options.tokenSource {
      let token = try token(of: source, TokenRequest(subject.url, service: options.service), answers?.token)
      uses.origin = token.map(AuthUse.token) ?? .awaitsToken
      if let token { headers.append("Authorization", "Bearer " + token) }
    }
    return uses
  }

  /// What the next CONNECT to a proxy says; nil for what it says without having been asked.
  func toConnect(_ proxy: Proxy, authority: String, _ answer: AuthChoice?) -> (value: String, use: AuthUse)? {
    guard let credentials = proxy.credentials.map(HttpCredentials.init) else { return nil }
    return try? said(answer, credentials, AuthSpace(proxy), .connect, target: authority) { hash, _ in hash.hash([]) }
  }

  private func toOrigin(
    _ credentials: HttpCredentials, _ subject: Subject, _ answer: AuthChoice?
  ) throws(HttpClientError) -> (value: String, use: AuthUse)? {
    do throws(WireError) {
      if let first = try credentials.firstAuthorization() {
        return (first, first.utf8.starts(with: "Basic ".utf8) ? .basic : .bearer)
      }
      return try said(answer, credentials, AuthSpace(subject.url), subject.method, target: subject.url.target, subject.bodyHash)
    } catch {
      throw .invalid("credentials", error.message)
    }
  }

  private func toProxy(
    _ credentials: HttpCredentials, _ space: AuthSpace, _ subject: Subject, _ answer: AuthChoice?
  ) throws(HttpClientError) -> (value: String, use: AuthUse)? {
    do throws(WireError) {
      return try said(answer, credentials, space, subject.method, target: subject.url.target, subject.bodyHash)
    } catch {
      throw .invalid("proxy", error.message)
    }
  }

  private func token(of source: any TokenSource, _ request: TokenRequest, _ answer: String?) throws(HttpClientError) -> String? {
    if TokenBroker.isAsking(source) {
      throw .invalid("token_source", "the token source makes this request for a token, and the request would wait for that token itself")
    }
    return answer ?? tokens.current(for: request, from: source)
  }

  /// The answer to a challenge, or what is remembered of earlier ones.
  private func said(
    _ answer: AuthChoice?, _ credentials: HttpCredentials, _ space: AuthSpace, _ method: HttpMethod, target: String,
    _ bodyHash: (HashAlgorithm, _ mayTakeLong: Bool) -> [UInt8]?
  ) throws(WireError) -> (value: String, use: AuthUse)? {
    let cnonce = Authenticator.cnonce()
    // A body is hashed before the memory is locked, for that may take long.
    let algorithm = answer.map { $0.bodyAlgorithm } ?? memory.recall(of: space, for: credentials, target: target) { $0.bodyAlgorithm }
    let hash = algorithm.flatMap { bodyHash($0, answer != nil) }
    func authorize(_ choice: inout AuthChoice) -> Result<String, WireError> {
      Result { () throws(WireError) in
        try choice.authorization(
          for: credentials, method: method, target: target, bodyHash: { $0 == algorithm ? hash : nil }, cnonce: cnonce)
      }
    }
    if let answer {
      return try memory.learn(answer, of: space, for: credentials, target: target) { choice in
        authorize(&choice).map { ($0, choice.use(isFresh: true)) }
      }.get()
    }
    return memory.recall(of: space, for: credentials, target: target) { choice in
      (try? authorize(&choice).get()).map { ($0, choice.use(isFresh: false)) }
    }
  }

  private static func cnonce() -> String {
    var random = SystemRandomNumberGenerator()
    let text = String(random.next(), radix: 36) + String(random.next(), radix: 36)
    return text
  }
}

extension AuthChoice {
  fileprivate var bodyAlgorithm: HashAlgorithm? {
    if case .digest(let digest) = self, digest.needsBodyHash { digest.algorithm.hash } else { nil }
  }

  fileprivate func use(isFresh: Bool) -> AuthUse {
    switch self {
    case .basic: .basic
    case .digest(let digest): .digest(realm: digest.realm, isFresh: isFresh)
    }
  }

  /// For the timeline, without secrets.
  var words: String {
    switch self {
    case .basic: "Basic"
    case .digest(let digest): digest.isStale ? "Digest with a new nonce" : "Digest"
    }
  }
}

extension HttpCredentials {
  init(_ credentials: ProxyCredentials) {
    self = .any(user: credentials.user, password: credentials.password)
  }
}
