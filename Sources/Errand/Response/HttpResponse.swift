internal import EventLoop
public import HttpWire

/// A whole response. Passing it on costs one reference, whatever its size.
public struct HttpResponse: Sendable {
  private let storage: Storage
  /// Where in `body` the JSON stands that the caller asked for: the envelope's data, or the whole text where JSON was expected; nil otherwise.
  public private(set) var dataRange: Range<Int>?
  /// It came in an envelope that has no data.
  private(set) var lacksData = false

  public init(
    status: Int, reason: String = "", version: HttpVersion = .http11, headers: HttpHeaders = [:], body: [UInt8] = [],
    trailers: HttpHeaders = [:], interim: [ResponseHead] = [], lengthUnknown: Bool = false
  ) {
    self.init(
      ResponseHead(version: version, status: status, reason: reason, headers: headers), body: body, trailers: trailers, interim: interim,
      lengthUnknown: lengthUnknown, attempts: 1, timings: RequestTimings(), way: nil)
  }

  init(
    _ head: ResponseHead, body: [UInt8], trailers: HttpHeaders, interim: [ResponseHead], lengthUnknown: Bool, attempts: Int,
    timings: RequestTimings, way: Way?, encodedByteCount: Int64? = nil, file: DownloadedFile? = nil
  ) {
    let isPlain = trailers.isEmpty && interim.isEmpty && way == nil && encodedByteCount == nil && file == nil
    let extras = isPlain ? nil : Extras(trailers, interim, way, encodedByteCount, file)
    storage = Storage(
      head: head, body: body, extras: extras, lengthUnknown: lengthUnknown,
      attempts: attempts, timings: timings)
  }

  public var status: Int { storage.head.status }
  public var reason: String { storage.head.reason }
  public var version: HttpVersion { storage.head.version }
  /// As they came, also where the body was decoded.
  public var headers: HttpHeaders { storage.head.headers }
  /// The body's bytes, without content codings if ``wasDecoded``; empty if they were streamed to the delegate.
  public var body: [UInt8] { storage.body }
  /// The file that holds the body instead, of a download (``RequestOptions/download``).
  public var file: DownloadedFile? { storage.extras?.file }
  /// Trailer fields of a chunked body, apart from the headers.
  public var trailers: HttpHeaders { storage.extras?.trailers ?? [:] }
  /// The 1xx responses that came before.
  public var interim: [ResponseHead] { storage.extras?.interim ?? [] }
  /// The URL that answered, where that is not the one that was asked.
  public var url: String? { storage.extras?.way?.url }
  /// The redirects that were followed, in their order.
  public var redirects: [RedirectHop] { storage.extras?.way?.redirects ?? [] }
  /// The bytes of the body as they came, if it had content codings and was decoded; nil if it is as it came.
  public var encodedByteCount: Int64? { storage.extras?.encodedByteCount }
  /// The body had no declared length and ended with the connection, so that a cut would not show.
  public var lengthUnknown: Bool { storage.lengthUnknown }
  /// How often the request was sent or begun.
  public var attempts: Int { storage.attempts }
  public var timings: RequestTimings { storage.timings }

  /// The JSON that was asked for: the envelope's data, or the body. Throws `not_json` where it is none.
  public func json() throws(HttpClientError) -> JsonValue {
    do throws(JsonError) {
      return try JsonValue.parse(dataRange.map { Array(body[$0]) } ?? body)
    } catch {
      throw HttpClientError(.notJson, phase: .response, message: "the body is not JSON: \(error)", sent: .sent, response: self)
    }
  }

  /// The same response, with the place of its data known.
  func with(dataRange: Range<Int>?, lacksData: Bool = false) -> HttpResponse {
    var response = self
    response.dataRange = dataRange
    response.lacksData = lacksData
    return response
  }

  private final class Storage: Sendable {
    let head: ResponseHead
    let body: [UInt8]
    let extras: Extras?
    let lengthUnknown: Bool
    let attempts: Int
    let timings: RequestTimings

    init(
      head: ResponseHead, body: [UInt8], extras: Extras?, lengthUnknown: Bool, attempts: Int, timings: RequestTimings
    ) {
      self.head = head
      self.body = body
      self.extras = extras
      self.lengthUnknown = lengthUnknown
      self.attempts = attempts
      self.timings = timings
    }
  }

  /// What few responses have.
  private final class Extras: Sendable {
    let trailers: HttpHeaders
    let interim: [ResponseHead]
    let way: Way?
    let encodedByteCount: Int64?
    let file: DownloadedFile?

    init(_ trailers: HttpHeaders, _ interim: [ResponseHead], _ way: Way?, _ encodedByteCount: Int64?, _ file: DownloadedFile?) {
      self.trailers = trailers
      self.interim = interim
      self.way = way
      self.encodedByteCount = encodedByteCount
      self.file = file
    }
  }

  /// How the request came to where it was answered.
  struct Way: Sendable {
    let url: String
    let redirects: [RedirectHop]

    /// nil if it was answered where it was asked.
    @LoopActor init?(_ conversation: Conversation) {
      guard !conversation.redirects.isEmpty else { return nil }
      url = conversation.url
      redirects = conversation.redirects
    }
  }
}

/// How long each phase of a request took, in microseconds; `nil` where there was none.
public struct RequestTimings: Sendable, Hashable {
  public var queue: Int64?
  public var dns: Int64?
  public var connect: Int64?
  /// The TLS handshakes of a connection that was made for the request.
  public var tls: Int64?
  /// From submission to the response's head.
  public var firstByte: Int64?
  public var total: Int64 = 0

  public init() {}
}
