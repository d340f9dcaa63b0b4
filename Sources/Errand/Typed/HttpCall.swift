public import FoundationEssentials
public import HttpWire

/// A request declared as a type: where it goes, what it needs, and what it answers.
///
/// ```swift
/// struct FindItems: HttpCall {
///   typealias Response = [Item]
///   var path: String { "/items" }
///   var text: String
///   var perPage: Int?
///   static let keyMapping = ["text": "q", "perPage": "per_page"]
/// }
/// let items = try await client.send(FindItems(text: "lamp"), to: "https://api.example.com/v2")
/// ```
///
/// The type's own properties are the parameters, by the names in its `CodingKeys`, in their order. Those that are nil are left out, and so are the
/// properties that the protocol itself asks for, such as ``path``; those of types that can't be encoded are written as computed ones. An array gives its name once for each element.
public protocol HttpCall: Encodable, Sendable {
  /// What the response's JSON, or the data of its envelope, is decoded as. ``NoContent`` for calls that answer nothing of interest.
  associatedtype Response: Decodable & SendableMetatype

  /// Below the base URL, with or without a slash before it; may have a query. Values in it are percent-encoded by who puts them there. Segments
  /// `.` and `..` are refused.
  var path: String { get }
  /// Default: GET, and POST where the parameters are a body (``CallBody/json``, ``CallBody/form``).
  var method: HttpMethod { get }
  /// Default: none.
  var headers: HttpHeaders { get }
  /// Default: the service's, or none.
  var envelope: EnvelopeProfile? { get }
  /// Where the path begins. Default nil: given when it is sent, or the service's.
  var baseUrl: String? { get }
  /// The service of the client's catalogue that it belongs to, and its version; nil is the newest. Default: none.
  var service: String? { get }
  var serviceVersion: Int? { get }

  /// How the parameters are sent. Default: ``CallBody/params``.
  static var bodyKind: CallBody { get }
  /// Parameters that are sent by another name than their key. Default: none.
  static var keyMapping: [String: String] { get }
  /// Keys of properties that are no parameters, such as those that are in the path. Default: none.
  static var leftOut: Set<String> { get }

  /// Changes the request before it is sent: its timeouts, retries, tag. Default: does nothing.
  func adjust(_ request: inout HttpRequest) throws
  /// Encodes the parameters. Default: a plain one that writes dates by RFC 3339.
  static func makeEncoder() -> JSONEncoder
  /// Decodes the response. Default: a plain one that reads dates by RFC 3339.
  static func makeDecoder() -> JSONDecoder
}

/// How an ``HttpCall`` sends its parameters.
public enum CallBody: Sendable, Hashable {
  /// As ``HttpRequest/params``: in the query for GET, HEAD and DELETE, as a form for other methods.
  case params
  /// In the query, whatever the method.
  case query
  /// As a form, `application/x-www-form-urlencoded`.
  case form
  /// As a JSON object, which may hold objects and arrays of any kind.
  case json
}

extension HttpCall {
  public var method: HttpMethod {
    switch Self.bodyKind {
    case .params, .query: .get
    case .form, .json: .post
    }
  }
  public var headers: HttpHeaders { [:] }
  public var envelope: EnvelopeProfile? { nil }
  public var baseUrl: String? { nil }
  public var service: String? { nil }
  public var serviceVersion: Int? { nil }
  public static var bodyKind: CallBody { .params }
  public static var keyMapping: [String: String] { [:] }
  public static var leftOut: Set<String> { [] }
  public func adjust(_ request: inout HttpRequest) throws {}

  /// Dates by RFC 3339.
  public static func makeEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return encoder
  }

  /// Dates by RFC 3339.
  public static func makeDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  /// The request that this call is. Throws `invalid_request` where the parameters can't be sent as ``bodyKind`` says, or no base URL is known.
  ///
  /// - Parameter baseUrl: Stands above the call's own ``HttpCall/baseUrl``, and that above its service.
  public func makeRequest(to baseUrl: String? = nil) throws(HttpClientError) -> HttpRequest {
    var request = HttpRequest("", method: method, headers: headers)
    if let service { request.service = service }
    if let envelope { request.envelope = envelope }
    var target = path
    let fields = try CallFields(self, encoder: Self.makeEncoder()).named(by: Self.keyMapping, without: Self.leftOut.union(ownProperties))
    switch Self.bodyKind {
    case .params: request.params = try fields.params()
    case .query: target = BaseUrl.adding(try fields.params(), to: target)
    case .form: request.body = .form(try fields.params())
    case .json: request.body = .json(fields.json)
    }
    if let base = baseUrl ?? self.baseUrl {
      request.url = try BaseUrl.join(base, target)
    } else if service != nil {
      request.path = target
      request.serviceVersion = serviceVersion
    } else {
      throw .invalid("url", "\(Self.self) has neither a base URL nor a service")
    }
    do {
      try adjust(&request)
    } catch let error as HttpClientError {
      throw error
    } catch {
      throw .invalid("request", "\(Self.self) can't be sent: \(PeerText.line("\(error)"))")
    }
    return request
  }
}

/// What the protocol asks for is no parameter.
private let ownProperties: Set<String> = ["path", "method", "headers", "envelope", "baseUrl", "service", "serviceVersion"]
