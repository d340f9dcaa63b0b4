internal import EventLoop
internal import HttpWire

/// A request that was checked and turned into the bytes to send. Pure.
struct PreparedRequest: Sendable {
  let url: String
  let method: HttpMethod
  let origin: Origin
  /// Head, and the body too where it is small.
  let wire: [UInt8]
  /// The body where it is large: sent from here, not copied.
  let body: [UInt8]
  let bodyCount: Int64
  let isRepeatable: Bool
  let priority: Int8
  /// The caller asked for `Connection: close`.
  let closesConnection: Bool
  /// The body is held back until the server says 100 (RFC 9110 section 10.1.1).
  let expectsContinue: Bool

  /// Up to this size a body is sent in one piece with the head.
  private static let joinedBodyLimit = 16_384

  init(_ request: borrowing HttpRequest, _ defaults: DefaultHeaders, _ proxies: ProxyRules, _ contexts: TlsContexts, at now: Instant)
    throws(HttpClientError)
  {
    var url = try PreparedRequest.checkedUrl(request.url)
    if let path = request.unixSocket {
      do throws(SystemError) { _ = try SocketAddress.unix(path) } catch { throw .invalid("unix_socket", error.description) }
    }
    let plan = try PreparedRequest.plan(request, url, proxies)
    if plan.proxy?.kind == .https { try contexts.prepareForProxies(at: now) }
    let tls = url.scheme == .https ? try contexts.context(for: request, at: now) : nil
    let method = request.method ?? (request.body == nil ? .get : .post)
    guard let priority = Int8(exactly: request.priority) else { throw .invalid("priority", "the priority must be from -128 to 127") }
    guard method != .connect else { throw .invalid("method", "the method CONNECT is not for requests") }
    let wantsJson = request.expect != .any || request.optionBox?.value.envelope != nil
    var headers = PreparedRequest.headers(request.headers, wantsJson ? defaults.json : defaults.plain)
    var body: [UInt8] = []
    var hasBody = true
    switch request.body {
    case .bytes(let bytes, let contentType)?:
      body = bytes
      if let contentType { PreparedRequest.setDefault(&headers, "Content-Type", contentType) }
    case .form(let params)?:
      body = Array(FormEncoding.encode(params.map { ($0.name, $0.value) }).utf8)
      PreparedRequest.setDefault(&headers, "Content-Type", "application/x-www-form-urlencoded")
    case .json(let bytes)?:
      body = bytes
      PreparedRequest.setDefault(&headers, "Content-Type", "application/json")
    case nil:
      hasBody = false
    }
    if !request.params.isEmpty {
      let params = request.params.map { ($0.name, $0.value) }
      if request.body != nil || method == .get || method == .head || method == .delete {
        url = url.addingQuery(params)
      } else {
        body = Array(FormEncoding.encode(params).utf8)
        hasBody = true
        PreparedRequest.setDefault(&headers, "Content-Type", "application/x-www-form-urlencoded")
      }
    }

    do throws(ProxyError) {
      if let value = try plan.authorization(with: headers) { headers.append("Proxy-Authorization", value) }
    } catch {
      throw .invalid("headers", error.message)
    }
    // Only the caller's own headers can ask for any of these.
    let bringsHeaders = !request.headers.isEmpty
    let expectsContinue = bringsHeaders && headers.hasToken("100-continue", in: "Expect")
    if expectsContinue, body.isEmpty { headers.remove("Expect") }
    var wire: [UInt8] = []
    let isJoined = body.count <= PreparedRequest.joinedBodyLimit && !expectsContinue
    let (target, host) = (plan.target(of: url), url.hostHeader)
    let headRoom = RequestWriter.room(method: method, target: target, host: host, headers: headers, hasBody: hasBody)
    wire.reserveCapacity(headRoom + (isJoined ? body.count : 0))
    do throws(WireError) {
      try RequestWriter.append(
        method: method, target: target, host: host, headers: headers,
        body: hasBody ? .length(Int64(body.count)) : .none, to: &wire)
    } catch {
      // Method, target and host are checked by now.
      throw .invalid("headers", error.message)
    }
    if isJoined { wire.append(contentsOf: body) }
    self.url = request.params.isEmpty ? request.url : url.description
    self.method = method
    self.origin = Origin(host: url.host, options: .of(request, plan, tls), port: url.port, isSecure: url.scheme == .https)
    self.wire = wire
    self.body = isJoined ? [] : body
    self.bodyCount = Int64(body.count)
    self.closesConnection = bringsHeaders && headers.hasToken("close", in: "Connection")
    self.expectsContinue = expectsContinue && !body.isEmpty
    self.priority = priority
    self.isRepeatable = method.isIdempotent || bringsHeaders && headers.contains("Idempotency-Key")
  }

  private static func checkedUrl(_ text: String) throws(HttpClientError) -> HttpUrl {
    let url: HttpUrl
    do throws(WireError) {
      url = try HttpUrl(text)
    } catch {
      throw .invalid("url", error.message)
    }
    guard url.userInfo == nil else {
      throw .invalid("url", "the URL holds credentials, which this version does not send; give an Authorization header instead")
    }
    return url
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
