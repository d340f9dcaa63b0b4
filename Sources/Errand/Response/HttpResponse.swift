public import HttpWire

/// A whole response.
public struct HttpResponse: Sendable {
  public var status: Int
  public var reason: String
  public var version: HttpVersion
  public var headers: HttpHeaders
  /// The body's bytes; empty if they were streamed to the delegate.
  public var body: [UInt8]
  /// The body had no declared length and ended with the connection, so that a cut would not show.
  public var lengthUnknown: Bool
  /// Where in `body` the JSON stands that the caller asked for: the envelope's data, or the whole text where JSON was expected; nil otherwise.
  public var dataRange: Range<Int>?
  public var attempts: Int
  public var timings: RequestTimings
  private let extras: Extras?

  public init(
    status: Int, reason: String = "", version: HttpVersion = .http11, headers: HttpHeaders = [:], body: [UInt8] = [],
    trailers: HttpHeaders = [:], interim: [ResponseHead] = [], lengthUnknown: Bool = false
  ) {
    self.status = status
    self.reason = reason
    self.version = version
    self.headers = headers
    self.body = body
    self.extras = trailers.isEmpty && interim.isEmpty ? nil : Extras(trailers, interim)
    self.lengthUnknown = lengthUnknown
    self.attempts = 1
    self.timings = RequestTimings()
  }

  /// Trailer fields of a chunked body, apart from the headers.
  public var trailers: HttpHeaders { extras?.trailers ?? [:] }
  /// The 1xx responses that came before.
  public var interim: [ResponseHead] { extras?.interim ?? [] }

  /// The body as UTF-8 text, with replacement characters where it is none.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// The JSON that was asked for: the envelope's data, or the body. Throws `not_json` where it is none.
  public func json() throws(HttpClientError) -> JsonValue {
    do throws(JsonError) {
      return try JsonValue.parse(dataRange.map { Array(body[$0]) } ?? body)
    } catch {
      throw HttpClientError(.notJson, phase: .response, message: "the body is not JSON: \(error)", sent: .sent, response: self)
    }
  }

  /// What few responses have.
  private final class Extras: Sendable {
    let trailers: HttpHeaders
    let interim: [ResponseHead]

    init(_ trailers: HttpHeaders, _ interim: [ResponseHead]) {
      self.trailers = trailers
      self.interim = interim
    }
  }
}

/// How long each phase of a request took, in microseconds; `nil` where there was none.
public struct RequestTimings: Sendable, Hashable {
  public var queue: Int64?
  public var dns: Int64?
  public var connect: Int64?
  /// From submission to the response's head.
  public var firstByte: Int64?
  public var total: Int64 = 0

  public init() {}
}
