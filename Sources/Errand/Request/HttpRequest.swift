public import EventLoop
public import HttpWire

/// A request as the caller describes it. It is checked when it is submitted; what is wrong with it becomes its one outcome,
/// `invalid_request`, before anything is connected.
public struct HttpRequest: Sendable {
  /// An absolute `http` or `https` URL. Its path and query are sent byte for byte.
  public var url: String
  /// `nil`: GET, or POST where there is a body.
  public var method: HttpMethod?
  /// Appended to the query for GET, HEAD and DELETE; a form body for other methods, where there is no `body`.
  public var params: [HttpParam]
  public var headers: HttpHeaders
  public var body: HttpBody?

  /// Comes back with the outcome. Scope of cancelling.
  public var tag: Int?
  /// Comes back with the outcome. Scope of cancelling, also by prefix.
  public var key: String?
  /// The delegate's name, for listing and for cancelling by delegate.
  public var delegateName: String?
  /// Whom the request is made for: slots are shared out fairly between owners.
  public var owner: String?
  /// The named service it belongs to, whose limits hold for it (``HttpClient/Configuration/services``).
  public var service: String?
  /// -128 to 127, default 0: an owner's requests at a host that wait for a slot go by priority, higher first, then by age. It takes no turn of
  /// another owner.
  public var priority = 0

  public var timeouts = Timeouts()
  public var retry = RetryPolicy()
  public var expect = Expectation.any
  /// How to read the service's own success and failure out of its JSON.
  public var envelope: EnvelopeProfile?
  /// Statuses of 400 and above that count as success.
  public var acceptStatus: [Int] = []
  /// Limit of the response body in bytes; `nil` takes the client's, 16 MiB by default. A longer one fails with `too_large`.
  public var maxBodyBytes: Int64?
  /// Connect to this Unix socket instead of the URL's host, which is still sent as Host.
  public var unixSocket: String?
  /// How its TLS connection is made; `nil` takes the client's settings. Files are read when the request is submitted, on the caller's
  /// thread; what can't be used is `invalid_request`. Requests with equal settings share connections and sessions.
  public var tls: TlsSettings?
  /// Which proxy to go through; `nil` takes the client's choice, by default the environment's. One that can't be used, and one by URL beside
  /// `unixSocket`, is `invalid_request`. A proxy that says no, or can't be reached, is an error `connect`, before anything of the request was sent.
  public var proxy: ProxyChoice?
  public var httpVersion = HttpVersionChoice.auto
  /// Addresses that stand in for those of names, before the client's own overrides. Requests with different ones do not share connections.
  public var resolve: [ResolveOverride] = []
  /// JSON is wanted, though not checked for: a typed answer is decoded elsewhere.
  var acceptsJson = false

  public init(
    _ url: String, method: HttpMethod? = nil, params: [HttpParam] = [], headers: HttpHeaders = [:], body: HttpBody? = nil, tag: Int? = nil,
    key: String? = nil
  ) {
    self.url = url
    self.method = method
    self.params = params
    self.headers = headers
    self.body = body
    self.tag = tag
    self.key = key
  }
}

/// One name and value of a query or form. Names may repeat.
public struct HttpParam: Sendable, Hashable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// A request's body, held in memory.
public enum HttpBody: Sendable, Hashable {
  /// Sent as it is; `contentType` is the Content-Type header unless the caller's headers have one.
  case bytes([UInt8], contentType: String? = nil)
  /// `application/x-www-form-urlencoded`.
  case form([HttpParam])
  /// JSON text, sent as it is with `application/json`.
  case json([UInt8])

  /// UTF-8 text with `text/plain; charset=utf-8`.
  public static func text(_ text: String) -> HttpBody {
    .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8")
  }
}

/// What the body of a successful response must be.
public enum Expectation: String, Sendable, Hashable, CaseIterable {
  /// Anything.
  case any
  /// A JSON text (RFC 8259); anything else is `not_json`.
  case json
  /// A JSON object; other JSON is `wrong_shape`.
  case jsonObject = "json_object"
  /// A JSON array; other JSON is `wrong_shape`.
  case jsonArray = "json_array"
}
