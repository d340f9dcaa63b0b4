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

  /// - Parameter streams: Its response is not held in memory, wherever else it goes.
  func rules(for request: HttpRequest, streams: Bool) -> RequestRules {
    switch request.expect {
    case .any: any.applied(to: request, streams: streams)
    case .json: json.applied(to: request, streams: streams)
    case .jsonObject: jsonObject.applied(to: request, streams: streams)
    case .jsonArray: jsonArray.applied(to: request, streams: streams)
    }
  }
}

/// The headers sent where a request does not bring fields of those names, made once.
final class DefaultHeaders: Sendable {
  private let plain: HttpHeaders
  private let json: HttpHeaders
  private let codedPlain: HttpHeaders
  private let codedJson: HttpHeaders
  /// They need not be looked at again before they are sent.
  let areValid: Bool

  init(_ configuration: HttpClient.Configuration) {
    plain = configuration.userAgent.isEmpty ? [:] : ["User-Agent": configuration.userAgent]
    json = plain.with("Accept", "application/json")
    codedPlain = plain.with("Accept-Encoding", ContentDecoder.acceptEncoding)
    codedJson = json.with("Accept-Encoding", ContentDecoder.acceptEncoding)
    areValid = (try? codedJson.validate()) != nil
  }

  /// With `Accept` where JSON is asked for, and `Accept-Encoding` where the body may come coded.
  func fields(wantsJson: Bool, takesCodings: Bool) -> HttpHeaders {
    switch (wantsJson, takesCodings) {
    case (false, false): plain
    case (true, false): json
    case (false, true): codedPlain
    case (true, true): codedJson
    }
  }
}

extension HttpHeaders {
  fileprivate func with(_ name: String, _ value: String) -> HttpHeaders {
    var headers = self
    headers.append(name, value)
    return headers
  }
}
