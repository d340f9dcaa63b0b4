public import HttpWire

/// A request as the caller describes it. It is checked when it is submitted; what is wrong with it becomes its one outcome,
/// `invalid_request`, before anything is connected.
///
/// What few requests need is in ``options``, and reads and writes like a member of the request itself: `request.tls = …`.
@dynamicMemberLookup
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
  public var expect = Expectation.any

  /// nil while no option is set, which is the case for most.
  private(set) var optionBox: OptionBox?
  /// JSON is wanted, though not checked for on the loop: a typed answer is decoded elsewhere.
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

  var hasBody: Bool { if case .none = body { false } else { true } }

  /// What few requests need.
  public var options: RequestOptions {
    get { (optionBox ?? .none).value }
    set { optionBox = OptionBox(newValue) }
  }

  /// A member of ``options``.
  public subscript<Value>(dynamicMember option: WritableKeyPath<RequestOptions, Value>) -> Value {
    // Where the option is known, only that is read: all options are copied for one that is not.
    @inline(__always) get { (optionBox ?? .none).value[keyPath: option] }
    set {
      var options = self.options
      options[keyPath: option] = newValue
      self.options = options
    }
  }

  /// Options behind one reference, for they are large and requests are many.
  final class OptionBox: Sendable {
    let value: RequestOptions
    /// It is timed, limited and judged as its client says.
    let leavesRules: Bool

    init(_ value: RequestOptions) {
      self.value = value
      leavesRules = value.leavesRules
    }

    static let none = OptionBox(RequestOptions())
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
