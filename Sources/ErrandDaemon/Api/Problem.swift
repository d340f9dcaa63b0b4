internal import HttpWire

/// Why a call was refused, as problem details (RFC 9457).
struct Problem: Error, Equatable {
  /// The last part of the problem's `type`, such as `unknown_field`.
  var kind: String
  var status: Int
  var title: String
  var detail: String
  /// What is at fault: a JSON pointer into the body, or the name of a query parameter or header field.
  var field: String?
  /// Where `field` is, if not in the body.
  var place: String?
  /// The limit that was hit, by the name of its setting.
  var limit: String?
  /// What that setting allows.
  var limitValue: Int?
  /// The line of an NDJSON body, from 1.
  var line: Int?
  /// Where in that text, from 1.
  var column: Int?
  var headers: HttpHeaders = [:]

  static let mediaType = "application/problem+json"

  func write(to bytes: inout [UInt8]) {
    bytes.append("{\"type\":\"urn:errand:problem:")
    bytes.append(contentsOf: kind.utf8)
    bytes.append("\",\"title\":")
    Json.appendQuoted(title, to: &bytes)
    bytes.append(",\"status\":")
    bytes.append(decimal: status)
    bytes.append(",\"detail\":")
    Json.appendQuoted(detail, to: &bytes)
    if let field {
      bytes.append(",\"field\":")
      Json.appendQuoted(field, to: &bytes)
    }
    if let place {
      bytes.append(",\"in\":")
      Json.appendQuoted(place, to: &bytes)
    }
    if let limit {
      bytes.append(",\"limit\":")
      Json.appendQuoted(limit, to: &bytes)
    }
    if let limitValue {
      bytes.append(",\"limit_value\":")
      bytes.append(decimal: limitValue)
    }
    if let line {
      bytes.append(",\"line\":")
      bytes.append(decimal: line)
    }
    if let column {
      bytes.append(",\"column\":")
      bytes.append(decimal: column)
    }
    bytes.append("}")
  }
}
