internal import HttpWire

/// Where the tokens of requests come from that are sent as `Authorization: Bearer …` (RFC 6750), such as an OAuth client.
///
/// A client asks a source once for a token and uses it for all requests with that source to the same origin and service, until a server
/// answers 401 to it. Then it asks again, once for all requests that got that answer, and each is sent again with the new token, once.
public protocol TokenSource: AnyObject, Sendable {
  /// A token, never the rejected one. May make requests of its own, also with the client that asks, but none that names this same source.
  ///
  /// What it throws ends the requests that wait: those that got a 401 with `http_status` and that response, others with `denied`. Of an error that is
  /// no ``HttpClientError`` only the type is repeated, for its words may hold secrets.
  func token(for request: TokenRequest) async throws -> String
}

/// What a ``TokenSource`` is asked for. Shows no token in descriptions and dumps.
public struct TokenRequest: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// Such as `https://api.example.org` or `http://127.0.0.1:8080`.
  public let origin: String
  /// The request's named service.
  public let service: String?
  /// The token that the server did not take; nil if there was none yet.
  public let rejectedToken: String?

  init(_ url: HttpUrl, service: String?, rejected: String? = nil) {
    origin = "\(url.scheme)://\(url.hostHeader)"
    self.service = service
    rejectedToken = rejected
  }

  public var description: String {
    "a token for \(origin)\(service.map { " of \($0)" } ?? "")\(rejectedToken == nil ? "" : " after one was rejected")"
  }
  public var customMirror: Mirror { Mirror(self, children: [("request", description)]) }
}
