internal import EventLoop
internal import HttpWire

/// What a request says over more than one exchange: as what it is asked now, and how it came there.
@LoopActor
final class Conversation {
  /// As the exchange that is under way was asked for.
  private(set) var request: HttpRequest
  /// With params, as sent.
  private(set) var url: String
  private(set) var method: HttpMethod
  private(set) var redirects: [RedirectHop] = []
  /// What the cache needs to know of it; nil for a request that does not use it.
  private(set) var cacheRequest: CacheRequest?
  var course: CacheCourse?
  /// What was asked since the last new cookie, which may change every answer; before what is asked now.
  private var visits: [(url: String, method: HttpMethod)] = []
  /// No new cookie came since that was asked.
  private var isVisited = true
  /// How far it has come with those who want to know who is asking.
  var auth: AuthProgress {
    get { authBox?.value ?? AuthProgress() }
    set {
      if let authBox { authBox.value = newValue } else { authBox = AuthBox(newValue) }
    }
  }
  /// nil while nobody wanted to know.
  private var authBox: AuthBox?

  nonisolated init(_ request: HttpRequest, _ prepared: PreparedRequest) {
    self.request = request
    url = prepared.url
    method = prepared.method
    cacheRequest = prepared.cacheRequest
    if !prepared.auth.isPlain {
      var auth = AuthProgress()
      auth.took(prepared.auth, attempts: 0)
      authBox = AuthBox(auth)
    }
  }

  /// For a request that had nothing but what is known of it otherwise.
  nonisolated init(plain info: RequestInfo, expect: Expectation) {
    request = HttpRequest(info.url, method: info.method)
    request.expect = expect
    url = info.url
    method = info.method
  }

  @LoopActor private final class AuthBox {
    var value: AuthProgress

    nonisolated init(_ value: AuthProgress) { self.value = value }
  }

  /// It is asked elsewhere now.
  func went(_ hop: RedirectHop) {
    redirects.append(hop)
    if authBox != nil { auth.went() }
  }

  /// It was not asked there after all.
  func stayed() {
    _ = redirects.popLast()
  }

  /// The next exchange is ready to be sent.
  func took(_ request: HttpRequest, _ prepared: PreparedRequest, attempts: Int) {
    if isVisited { visits.append((url, method)) }
    isVisited = true
    self.request = request
    url = prepared.url
    method = prepared.method
    cacheRequest = prepared.cacheRequest
    course = nil
    asks(prepared, attempts: attempts)
  }

  /// It is sent so.
  func asks(_ prepared: PreparedRequest, attempts: Int) {
    if authBox != nil || !prepared.auth.isPlain { auth.took(prepared.auth, attempts: attempts) }
  }

  func tookCookies() {
    visits = []
    isVisited = false
  }

  /// The same was asked before: what came of it would come again.
  func hasVisited(_ url: String, _ method: HttpMethod) -> Bool {
    isVisited && url == self.url && method == self.method || visits.contains { $0.url == url && $0.method == method }
  }
}

extension HttpRequest {
  /// Nothing but a URL and a method, of what is sent.
  var isPlain: Bool { optionBox == nil && body == nil && params.isEmpty && headers.isEmpty && !acceptsJson }

  /// This request as it goes on to where a redirect leads (RFC 9110 section 15.4).
  func redirected(to target: RedirectTarget, asked method: HttpMethod) -> HttpRequest {
    var next = self
    next.url = target.url.description
    next.method = target.method
    next.headers = RedirectRules.fields(headers, for: target)
    if !target.keepsBody {
      next.body = nil
    } else if body == nil, !params.isEmpty, !(method == .get || method == .head || method == .delete) {
      next.body = .form(params)
    }
    // Those for the query were for the first URL.
    next.params = []
    if target.isCrossOrigin {
      next.leaveOrigin()
      if let here = try? HttpUrl(url), !PublicSuffixes.isSameSite(here, target.url) { next.isCrossSite = true }
    }
    return next
  }

  /// What was meant for one origin is not for another.
  private mutating func leaveOrigin() {
    guard var options = optionBox?.value else { return }
    options.credentials = nil
    for name in options.serviceFields { headers.remove(name) }
    options.serviceFields = []
    options.tokenSource = nil
    options.tls?.certificateFile = nil
    options.tls?.keyFile = nil
    options.tls?.certificatePem = nil
    options.tls?.keyPem = nil
    options.tls?.keyPassword = nil
    self.options = options
  }
}
