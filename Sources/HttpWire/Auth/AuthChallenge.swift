/// One challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 section 11.3).
public struct AuthChallenge: Sendable, Hashable, CustomStringConvertible {
  /// One `name=value`.
  public struct Parameter: Sendable, Hashable {
    /// Lower case.
    public let name: String
    /// Without quotes and escapes. Bytes that are not UTF-8 read as U+FFFD.
    public let value: String
  }

  /// Lower case, such as `digest`.
  public let scheme: String
  /// What stands in place of parameters, as for `Negotiate`.
  public let token68: String?
  /// In order.
  public let parameters: [Parameter]

  /// As read, or made up for a test.
  public init(scheme: String, token68: String? = nil, parameters: [(String, String)] = []) {
    self.scheme = scheme.lowercased()
    self.token68 = token68
    self.parameters = parameters.map { Parameter(name: $0.lowercased(), value: $1) }
  }

  /// The value of the first parameter of that name (lower case).
  public subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  /// The protection space within the origin (RFC 9110 section 11.5).
  public var realm: String? { self["realm"] }

  public var description: String {
    realm.map { "\(scheme) for \($0.withBytes(excerpt))" } ?? scheme
  }

  /// Challenges of one response that are read; further ones are passed over.
  public static let maximumCount = 16
  /// Parameters of one challenge that are read; further ones are passed over.
  public static let maximumParameters = 32
  /// Bytes of one field that are read; a challenge that goes beyond them is passed over.
  public static let maximumBytes = 16_384

  /// The challenges of a response: those of its WWW-Authenticate fields, or of Proxy-Authenticate.
  ///
  /// Never fails: what is no challenge is passed over. Missing commas, empty elements, values that lack their quotes, and a quote that is
  /// never closed are tolerated.
  public static func all(in headers: HttpHeaders, proxy: Bool = false) -> [AuthChallenge] {
    headers.withValues(proxy ? "proxy-authenticate" : "www-authenticate") { values in
      var challenges: [AuthChallenge] = []
      for value in values {
        AuthFieldScanner.read(value, upTo: maximumCount - challenges.count, into: &challenges)
      }
      return challenges
    }
  }

  /// The challenges in the value of one field.
  public static func all(in value: String) -> [AuthChallenge] {
    var challenges: [AuthChallenge] = []
    value.withBytes { AuthFieldScanner.read($0, upTo: maximumCount, into: &challenges) }
    return challenges
  }
}
