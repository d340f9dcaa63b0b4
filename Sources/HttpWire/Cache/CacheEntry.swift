/// A stored response. Copies share their bytes.
public struct CacheEntry: Sendable, Equatable {
  public var status: Int
  public var reason: String
  /// As received, without the fields that concern one connection only (RFC 9111 3.1).
  public var headers: HttpHeaders
  public var body: [UInt8]
  /// `body` is without its Content-Encoding, though `headers` still name it.
  public var isDecoded: Bool
  /// When the request was sent that this answered, or that validated it last, in seconds since 1970.
  public var requestTime: Int64
  /// When its head came, in seconds since 1970.
  public var responseTime: Int64
  public var variant: CacheVariant
  /// Which of the responses it is that a store had under the same key and variant: the store's own number.
  public var stamp: UInt64 = 0

  /// nil where Vary lets no request match.
  public init?(
    status: Int, reason: String = "", headers: HttpHeaders, body: [UInt8] = [], isDecoded: Bool = false, requestTime: Int64,
    responseTime: Int64, to request: CacheRequest
  ) {
    guard let variant = CacheVariant(response: headers, to: request.headers) else { return nil }
    self.init(
      status: status, reason: reason, headers: CacheRules.storable(headers), body: body, isDecoded: isDecoded, requestTime: requestTime,
      responseTime: responseTime, variant: variant)
  }

  init(
    status: Int, reason: String, headers: HttpHeaders, body: [UInt8], isDecoded: Bool, requestTime: Int64, responseTime: Int64,
    variant: CacheVariant
  ) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
    self.isDecoded = isDecoded
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.variant = variant
  }

  /// About what it takes in memory, in bytes.
  public var cost: Int {
    let names = variant.fields.reduce(0) { $0 + $1.utf8.count + 16 }
    return 512 + body.count + headers.block.count + 16 * headers.count + reason.utf8.count + names
  }
}
