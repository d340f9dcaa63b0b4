internal import Errand
internal import HttpWire

extension Problem {
  static func malformedJson(_ error: JsonError, firstLine: Int = 1) -> Problem {
    Problem(
      kind: "malformed_json", status: 400, title: "Not JSON",
      detail: "the body is not JSON: \(error.message) (line \(error.line + firstLine - 1), column \(error.column))",
      line: error.line + firstLine - 1, column: error.column)
  }

  static func unknownField(_ name: String, at path: String, among known: [String]) -> Problem {
    let place = path.isEmpty ? "" : " in \(path)"
    return Problem(
      kind: "unknown_field", status: 400, title: "Unknown field",
      detail: "the field \(excerpt(name)) is not known\(place); there are: \(known.joined(separator: ", "))",
      field: path + "/" + pointerToken(name))
  }

  static func wrongType(_ field: String, expected: String, found: JsonValue) -> Problem {
    Problem(
      kind: "wrong_type", status: 400, title: "Wrong type",
      detail: "\(field.isEmpty ? "the body" : field) must be \(expected), not \(describe(found))", field: field)
  }

  static func invalidValue(_ field: String, _ detail: String, place: String? = nil, limit: String? = nil) -> Problem {
    Problem(
      kind: "invalid_value", status: 400, title: "Invalid value", detail: "\(field.isEmpty ? "the body" : field) \(detail)", field: field,
      place: place, limit: limit)
  }

  static func missing(_ field: String) -> Problem {
    Problem(kind: "missing_field", status: 400, title: "Missing field", detail: "\(field) is missing", field: field)
  }

  static func tooLarge(
    _ what: String, _ size: Int, limit: String, _ value: Int, unit: String = "bytes", field: String? = nil
  ) -> Problem {
    Problem(
      kind: "too_large", status: 413, title: "Too large",
      detail: "\(what) has \(size) \(unit), more than \(value) (limit \(limit))", field: field,
      limit: limit, limitValue: value)
  }

  static func tooMany(_ what: String, limit: String, _ value: Int, field: String? = nil) -> Problem {
    Problem(
      kind: "too_many", status: 429, title: "Too many", detail: "there are \(value) \(what) already (limit \(limit))", field: field,
      limit: limit, limitValue: value)
  }

  /// `first`: the first handle that this run of the daemon could give.
  static func unknownHandle(_ handle: String, first: UInt64 = 0) -> Problem {
    let isEarlier = RequestHandle(handle).map { $0.id > 0 && $0.id < first } ?? false
    let detail =
      isEarlier
      ? "the handle \(excerpt(handle)) is from before this daemon's start: it was not journaled, or its result is no longer kept"
      : "no request with the handle \(excerpt(handle)) is known, or its result is no longer kept"
    return Problem(kind: "unknown_handle", status: 404, title: "Unknown handle", detail: detail, field: "handle", place: "path")
  }

  static func forbidden(_ detail: String, field: String? = nil, place: String? = nil) -> Problem {
    Problem(kind: "forbidden", status: 403, title: "Forbidden", detail: detail, field: field, place: place)
  }

  /// `retryAfter`: told in whole seconds, rounded up; a second where it is not known.
  static func unavailable(_ detail: String, limit: String? = nil, retryAfter: Duration? = nil) -> Problem {
    let seconds = retryAfter.map { max(1, $0.components.seconds + ($0.components.attoseconds > 0 ? 1 : 0)) } ?? 1
    return Problem(
      kind: "unavailable", status: 503, title: "Not now", detail: detail, limit: limit, headers: ["Retry-After": "\(seconds)"])
  }

  static func idempotencyConflict(_ handle: RequestHandle) -> Problem {
    Problem(
      kind: "idempotency_conflict", status: 409, title: "Another request",
      detail: "under this key a different request was handed over before, with the handle \(handle)", field: "/idempotency_key")
  }

  /// The request is not taken, since it could not be kept; one with `"durability": "volatile"` would be.
  static func journalUnavailable(_ reason: String) -> Problem {
    Problem(
      kind: "journal_unavailable", status: 503, title: "Not journaled",
      detail: "the request can't be journaled just now: \(reason); nothing of it was kept", field: "/durability",
      headers: ["Retry-After": "1"])
  }

  static func journalFull(_ reason: String) -> Problem {
    Problem(
      kind: "journal_full", status: 503, title: "Journal full", detail: "the request can't be journaled: \(reason)", field: "/durability",
      limit: "journal.max_bytes", headers: ["Retry-After": "1"])
  }

  static func notFound(_ path: String) -> Problem {
    Problem(
      kind: "not_found", status: 404, title: "No such call", detail: "the API has no call at \(excerpt(path)); GET / lists them")
  }

  /// What the server itself refuses: a broken head, a body that is too long, a wrong method.
  static func server(_ status: Int, _ message: String, submitBytes: Int) -> Problem {
    var problem = Problem(
      kind: "http_\(status)", status: status, title: ResponseWriter.reasonPhrase(status), detail: message)
    switch status {
    case 405: problem.kind = "method_not_allowed"
    case 413:
      problem.kind = "too_large"
      problem.detail += " (limit submit_bytes; a body in base64 counts as the text it is written in, a third longer than its bytes)"
      problem.limit = "submit_bytes"
      problem.limitValue = submitBytes
    default: break
    }
    return problem
  }

  /// A request that the client itself would not take.
  static func refused(_ error: HttpClientError) -> Problem {
    switch error.code {
    case .denied where error.phase != .queue:
      return Problem(
        kind: "denied", status: 403, title: "Denied", detail: error.message, field: error.field.map { "/" + $0 })
    case .queueFull, .denied: return .unavailable(error.message, limit: error.limit, retryAfter: error.retryAfter)
    default:
      return Problem(
        kind: "invalid_request", status: 400, title: "Invalid request", detail: error.message,
        field: error.field.map { $0 == "service_version" ? "/version" : "/" + $0 })
    }
  }

  static func describe(_ value: JsonValue) -> String {
    switch value {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  static func pointerToken(_ name: String) -> String {
    var token = ""
    for scalar in name.unicodeScalars.prefix(128) {
      switch scalar {
      case "~": token += "~0"
      case "/": token += "~1"
      default: token.unicodeScalars.append(scalar)
      }
    }
    return token
  }

  /// Text from outside, for a sentence: cut, with controls escaped.
  static func excerpt(_ text: String) -> String { String(text.unicodeScalars.prefix(80).map(Character.init)).debugDescription }
}
