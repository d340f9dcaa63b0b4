internal import EventLoop
internal import Glibc
public import HttpWire

/// The cookies of one user of the client, by RFC 6265bis. May be used from any thread; nothing here waits for anything but `load` and
/// `save`.
///
/// Times are in seconds since 1970; where none is given it is now. A jar reads and writes files only when told to.
public final class CookieJar: Sendable {
  struct Content: Sendable {
    var state: CookieJarState
    var savedRevision: UInt64 = 0
    var onChange: (@Sendable () -> Void)?
  }

  let content: Locked<Content>

  /// An empty jar.
  public init(limits: CookieLimits = CookieLimits()) {
    content = Locked(Content(state: CookieJarState(limits: limits)))
  }

  // MARK: Requests and responses

  /// The value of the Cookie field for a request; nil if there is none to send. `isCrossSite`: another site's redirect led here, which
  /// ``PublicSuffixes/isSameSite(_:_:)`` tells; cookies with `SameSite` may then stay home.
  public func header(for url: HttpUrl, method: HttpMethod = .get, isCrossSite: Bool = false, at now: Int64? = nil) -> String? {
    let now = now ?? Self.now()
    return content.withLock { $0.state.header(for: url, method: method, isCrossSite: isCrossSite, at: now) }
  }

  /// Stores the Set-Cookie fields of a response from `url`, of any status, and tells which it did not take.
  @discardableResult
  public func store(_ headers: HttpHeaders, from url: HttpUrl, at now: Int64? = nil) -> [RefusedCookie] {
    let fields = headers.values("Set-Cookie")
    guard !fields.isEmpty else { return [] }
    let now = now ?? Self.now()
    return change { $0.store(setCookies: fields, from: url, at: now) }
  }

  // MARK: The owner's view

  /// Cookies kept, in the order in which they came, or those that a request to `url` is sent, in the order of sending.
  public func cookies(for url: HttpUrl? = nil, at now: Int64? = nil) -> [Cookie] {
    let now = now ?? Self.now()
    let state = content.withLock { $0.state }
    return url.map { state.all(for: $0, at: now) } ?? state.all(at: now)
  }

  /// The cookie of that name, domain and path; of two, the one for the host only.
  public func cookie(name: String, domain: String, path: String = "/", at now: Int64? = nil) -> Cookie? {
    let now = now ?? Self.now()
    return content.withLock { $0.state.cookie(name: name, domain: domain, path: path, at: now) }
  }

  /// Puts in a cookie of one's own, in the place of one of the same name, domain and path. One for all of a public suffix or of an
  /// address becomes one for that host only.
  public func set(_ cookie: Cookie, at now: Int64? = nil) throws(CookieRefusal) {
    let now = now ?? Self.now()
    try change { state in
      Result { () throws(CookieRefusal) in try state.set(cookie, at: now) }
    }.get()
  }

  /// Removes the cookies of that name, domain and path, and tells whether there was one.
  @discardableResult
  public func remove(name: String, domain: String, path: String = "/") -> Bool {
    change { $0.remove(name: name, domain: domain, path: path) }
  }

  /// Removes the cookies of `domain` and of all hosts below it, or every cookie, and tells how many there were.
  @discardableResult
  public func removeAll(domain: String? = nil) -> Int {
    change { $0.removeAll(domain: domain) }
  }

  // MARK: Changes

  /// What is kept differs from what was last loaded or saved. That a cookie was sent, or that its time is over, is no change.
  public var hasChanged: Bool { content.withLock { $0.state.revision != $0.savedRevision } }

  /// Called after each change but those by `load`, on the thread that made it, which may be the event loop's: it must not wait, but may
  /// use the jar. Meant for saving some time later, elsewhere.
  public var onChange: (@Sendable () -> Void)? {
    get { content.withLock { $0.onChange } }
    set { content.withLock { $0.onChange = newValue } }
  }

  private func change<Value>(_ body: (inout CookieJarState) -> Value) -> Value {
    let (value, hook) = content.withLock { content in
      let before = content.state.revision
      let value = body(&content.state)
      return (value, content.state.revision == before ? nil : content.onChange)
    }
    hook?()
    return value
  }

  static func now() -> Int64 { Int64(time(nil)) }
}
