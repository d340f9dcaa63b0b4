internal import EventLoop
internal import HttpWire

/// A request that was checked and turned into the bytes to send. Pure.
struct PreparedRequest: Sendable {
  let url: String
  let method: HttpMethod
  let origin: Origin
  /// Head, and the body too where it is small. Empty until the body is open, where it has to be opened.
  let wire: [UInt8]
  /// The body where it is large: sent from here, not copied.
  let body: [UInt8]
  /// -1: not known.
  let bodyCount: Int64
  /// nil for a body in memory.
  let feed: BodyFeed?
  let isRepeatable: Bool
  let priority: Int8
  /// The caller asked for `Connection: close`.
  let closesConnection: Bool
  /// The body is held back until the server says 100 (RFC 9110 section 10.1.1).
  let expectsContinue: Bool
  /// What the cache needs to know of it; nil where it does not use it, or waits for a token.
  let cacheRequest: CacheRequest?
  /// How it says who is asking.
  let auth: AuthUses
  /// It is answered on this machine, and nothing of the above is sent.
  var local: LocalSource?

  /// Up to this size a body is sent in one piece with the head.
  private static let joinedBodyLimit = 16_384

  init(
    _ request: borrowing HttpRequest, by preparer: RequestPreparer, _ answers: AuthAnswers? = nil, at now: Instant
  ) throws(HttpClientError) {
    let hasBody = request.hasBody
    var url = try PreparedRequest.checkedUrl(request.url)
    if let path = request.unixSocket {
      do throws(SystemError) { _ = try SocketAddress.unix(path) } catch { throw .invalid("unix_socket", error.description) }
    }
    let plan = try PreparedRequest.plan(request, url, preparer.proxies)
    let method = request.method ?? (hasBody ? .post : .get)
    if let egress = request.egress, request.unixSocket == nil { try PreparedRequest.check(egress, url, method, plan, request) }
    if plan.proxy?.kind == .https { try preparer.tls.prepareForProxies(at: now) }
    let tls = url.scheme == .https ? try preparer.tls.context(for: request, at: now) : nil
    guard let priority = Int8(exactly: request.priority) else { throw .invalid("priority", "the priority must be from -128 to 127") }
    guard method != .connect else { throw .invalid("method", "the method CONNECT is not for requests") }
    let wantsJson = request.expect != .any || request.acceptsJson || request.optionBox?.value.envelope != nil
    // A part of a coded body can't be decoded.
    let takesCodings = request.optionBox?.value.takesCodings ?? true && (request.headers.isEmpty || !request.headers.contains("Range"))
    let defaults = preparer.defaults.fields(wantsJson: wantsJson, takesCodings: takesCodings)
    var headers = PreparedRequest.headers(request.headers, defaults)
    var prepared = hasBody ? try PreparedBody(request.body) : PreparedBody.none
    if !request.params.isEmpty {
      if hasBody || method == .get || method == .head || method == .delete {
        url = url.addingQuery(request.params.map { ($0.name, $0.value) })
      } else {
        prepared = PreparedBody(form: request.params)
      }
    }
    if let contentType = prepared.contentType { PreparedRequest.setDefault(&headers, "Content-Type", contentType) }

    if let jar = request.jar(preparer.configuration.cookies),
      let cookies = jar.header(for: url, method: method, isCrossSite: request.isCrossSite)
    {
      // One field, as RFC 6265bis section 5.8.1 wants it: the caller's own cookies first.
      headers.set("Cookie", headers["Cookie"].map { "\($0); \(cookies)" } ?? cookies)
    }
    let toProxy: String?
    do throws(ProxyError) {
      toProxy = try plan.authorization(with: headers)
    } catch {
      throw .invalid("headers", error.message)
    }
    auth = try preparer.authenticator.authorize(&headers, request, plan, toProxy: toProxy, answers) {
      Authenticator.Subject(method: method, url: url) { [content = prepared.content] in content.hash($0, mayTakeLong: $1) }
    }
    // Only the caller's own headers can ask for any of these.
    let bringsHeaders = !request.headers.isEmpty
    let expectsContinue = bringsHeaders && headers.hasToken("100-continue", in: "Expect")
    let areDefaults = !bringsHeaders && headers.count == defaults.count && preparer.defaults.areValid
    let draft = HeadDraft(
      method: method, target: plan.target(of: url), host: url.hostHeader, headers: headers, expectsContinue: expectsContinue,
      isChecked: areDefaults)
    switch prepared.content {
    case .absent: (wire, body, bodyCount, feed) = (try draft.head(.none), [], 0, nil)
    case .bytes(let bytes):
      let isJoined = bytes.count <= PreparedRequest.joinedBodyLimit && !expectsContinue
      var wire = try draft.head(.length(Int64(bytes.count)), room: isJoined ? bytes.count : 0)
      if isJoined { wire.append(contentsOf: bytes) }
      self.wire = wire
      (body, bodyCount, feed) = (isJoined ? [] : bytes, Int64(bytes.count), nil)
    case .stream(let stream):
      wire = try draft.head(stream.length.map { .length($0) } ?? .chunked)
      (body, bodyCount, feed) = ([], stream.length ?? -1, BodyFeed(stream))
    case .unopened(let content):
      try draft.check()
      (wire, body, bodyCount, feed) = ([], [], -1, BodyFeed(UnopenedBody(content: content, draft: draft)))
    }
    // What goes to a file is not kept twice.
    let options = request.optionBox
    let usesCache =
      preparer.configuration.cache != nil && options?.value.download == nil
      && (options?.value.cache ?? preparer.configuration.cachePolicy) != .off
    let asker = usesCache ? request.asker(saying: auth.origin, over: preparer.configuration.tls) : nil
    cacheRequest = asker.map { CacheRequest(method: method, headers: headers, hasBody: hasBody, asker: $0) }
    self.url = request.params.isEmpty ? request.url : url.description
    self.method = method
    self.origin = Origin(host: url.host, options: .of(request, plan, tls, method), port: url.port, isSecure: url.scheme == .https)
    self.closesConnection = bringsHeaders && headers.hasToken("close", in: "Connection")
    self.expectsContinue = expectsContinue && bodyCount != 0
    self.priority = priority
    self.isRepeatable = method.isIdempotent || bringsHeaders && headers.contains("Idempotency-Key")
  }

  /// One for a `data:` or `file:` URL.
  init(_ local: LocalSource, _ request: borrowing HttpRequest) {
    self.local = local
    url = local.shown(request.url)
    method = request.method ?? .get
    origin = LocalConnection.origin
    wire = []
    body = []
    bodyCount = 0
    isRepeatable = true
    priority = 0
    closesConnection = false
    expectsContinue = false
    feed = nil
    cacheRequest = nil
    auth = AuthUses()
  }

  private static func checkedUrl(_ text: String) throws(HttpClientError) -> HttpUrl {
    let url: HttpUrl
    do throws(WireError) {
      url = try HttpUrl(text)
    } catch {
      throw .invalid("url", error.message)
    }
    guard url.userInfo == nil else {
      throw .invalid("url", "a redirect to a URL with credentials in it is not followed")
    }
    return url
  }

  private static func check(
    _ egress: EgressPolicy, _ url: HttpUrl, _ method: HttpMethod, _ plan: ProxyPlan, _ request: HttpRequest
  ) throws(HttpClientError) {
    let scheme = url.scheme == .https ? "https" : "http"
    var refusal = egress.refusal(EgressTarget(scheme: scheme, host: url.host, port: url.port, method: method.rawValue))
    if refusal == nil, request.proxy != nil, let proxy = plan.proxy {
      refusal = egress.refusal(EgressTarget(scheme: scheme, host: proxy.host, port: proxy.port, method: method.rawValue))
    }
    guard let refusal else { return }
    var error = HttpClientError(.denied, phase: .request, message: refusal)
    error.field = "url"
    throw error
  }

  private static func plan(_ request: HttpRequest, _ url: HttpUrl, _ proxies: ProxyRules) throws(HttpClientError) -> ProxyPlan {
    do throws(ProxyError) {
      return try proxies.plan(request, to: url)
    } catch {
      throw .invalid("proxy", error.message)
    }
  }

  private static func headers(_ own: HttpHeaders, _ defaults: HttpHeaders) -> HttpHeaders {
    if own.isEmpty { return defaults }
    var headers = own
    for (name, value) in defaults { setDefault(&headers, name, value) }
    return headers
  }

  private static func setDefault(_ headers: inout HttpHeaders, _ name: String, _ value: String) {
    if !headers.contains(name) { headers.append(name, value) }
  }
}

extension HttpClientError {
  static func invalid(_ field: String, _ message: String) -> HttpClientError {
    var error = HttpClientError(.invalidRequest, phase: .request, message: message)
    error.field = field
    return error
  }
}
