internal import HttpWire

/// The rules of requests that set none of their own, made once for each expectation.
struct RulesByExpectation: Sendable {
  private let any: RequestRules
  private let json: RequestRules
  private let jsonObject: RequestRules
  private let jsonArray: RequestRules

  init(_ configuration: HttpClient.Configuration) {
    any = RequestRules(configuration, expect: .any)
    json = RequestRules(configuration, expect: .json)
    jsonObject = RequestRules(configuration, expect: .jsonObject)
    jsonArray = RequestRules(configuration, expect: .jsonArray)
  }

  subscript(_ request: HttpRequest) -> RequestRules {
    switch request.expect {
    case .any: any.applied(to: request)
    case .json: json.applied(to: request)
    case .jsonObject: jsonObject.applied(to: request)
    case .jsonArray: jsonArray.applied(to: request)
    }
  }
}

/// The headers sent where a request does not bring fields of those names, made once.
struct DefaultHeaders: Sendable {
  let plain: HttpHeaders
  /// With `Accept`, where JSON is asked for.
  let json: HttpHeaders

  init(_ configuration: HttpClient.Configuration) {
    plain = configuration.userAgent.isEmpty ? [:] : ["User-Agent": configuration.userAgent]
    var json = plain
    json.append("Accept", "application/json")
    self.json = json
  }
}
