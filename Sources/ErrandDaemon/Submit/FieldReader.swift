internal import Errand
internal import HttpWire

/// Reads one field of a type, or says what was expected in its place.
enum FieldReader {
  static func text(_ value: JsonValue, _ field: String) throws(Problem) -> String {
    guard case .string(let text) = value else { throw .wrongType(field, expected: "a string", found: value) }
    return text
  }

  static func integer(_ value: JsonValue, _ field: String, _ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
    guard case .number(let number) = value else { throw .wrongType(field, expected: "a whole number", found: value) }
    guard let integer = number.int, range.contains(integer) else {
      throw .invalidValue(field, "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  static func flag(_ value: JsonValue, _ field: String) throws(Problem) -> Bool {
    guard case .bool(let flag) = value else { throw .wrongType(field, expected: "true or false", found: value) }
    return flag
  }

  static func choice<Choice>(_ value: JsonValue, _ field: String) throws(Problem) -> Choice
  where Choice: RawRepresentable<String> & CaseIterable {
    guard let choice = Choice(rawValue: try text(value, field)) else {
      throw .invalidValue(field, "must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return choice
  }

  static func statuses(_ value: JsonValue, _ field: String) throws(Problem) -> [Int] {
    guard case .array(let elements) = value else { throw .wrongType(field, expected: "an array of statuses", found: value) }
    var statuses: [Int] = []
    for (index, element) in elements.enumerated() {
      statuses.append(Int(try integer(element, "\(field)/\(index)", 100...599)))
    }
    return statuses
  }

  static func milliseconds(_ value: JsonValue, _ field: String) throws(Problem) -> Duration {
    .milliseconds(try integer(value, field, 0...SubmissionRules.timeoutMilliseconds))
  }

  /// `"2026-12-01T12:00:00Z"` (RFC 3339), or milliseconds since 1970.
  static func time(_ value: JsonValue, _ field: String) throws(Problem) -> WallTime {
    switch value {
    case .number:
      // Up to the year 9999.
      return WallTime(microseconds: try integer(value, field, 0...253_402_300_799_000) * 1_000)
    case .string(let text):
      guard let time = Timestamp.microseconds(text) else {
        throw .invalidValue(field, "must be a time such as 2026-12-01T12:00:00Z (RFC 3339), or milliseconds since 1970")
      }
      return WallTime(microseconds: time)
    case .null, .bool, .array, .object:
      throw .wrongType(field, expected: "a time as text, or milliseconds since 1970", found: value)
    }
  }

  /// `members`: what such an object may hold, for who gave something else.
  static func object(_ value: JsonValue, _ field: String, of members: [String]) throws(Problem) -> JsonObject {
    guard case .object(let object) = value else {
      let names = members.map { "\"\($0)\"" }.joined(separator: ", ")
      throw .wrongType(field, expected: "an object \(members.count == 1 ? "with" : "with any of") \(names)", found: value)
    }
    return object
  }

  /// `{"name": "value" or number or bool or an array of those}`, or `[["name", value], …]`.
  static func params(_ value: JsonValue, _ field: String, limit: Int) throws(Problem) -> [HttpParam] {
    try checkCount(value, field, limit)
    var params: [HttpParam] = []
    switch value {
    case .object(let object):
      for member in object.members {
        let place = field + "/" + Problem.pointerToken(member.key)
        if case .array(let elements) = member.value {
          for (index, element) in elements.enumerated() {
            params.append(HttpParam(member.key, try scalar(element, "\(place)/\(index)")))
          }
        } else {
          params.append(HttpParam(member.key, try scalar(member.value, place)))
        }
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        guard case .array(let pair) = element, pair.count == 2 else {
          throw .wrongType("\(field)/\(index)", expected: "a pair of a name and a value", found: element)
        }
        params.append(HttpParam(try text(pair[0], "\(field)/\(index)/0"), try scalar(pair[1], "\(field)/\(index)/1")))
      }
    default:
      throw .wrongType(field, expected: "an object, or an array of pairs", found: value)
    }
    return params
  }

  /// Each field costs far more than its bytes: very many would hold up the loop.
  private static func checkCount(_ value: JsonValue, _ field: String, _ limit: Int) throws(Problem) {
    let count =
      switch value {
      case .array(let elements): elements.count
      case .object(let object): object.members.reduce(0) { $0 + ($1.value.array?.count ?? 1) }
      case .null, .bool, .number, .string: 0
      }
    if count > limit { throw .tooLarge(field, count, limit: "fields", limit, unit: "fields", field: field) }
  }

  private static func scalar(_ value: JsonValue, _ field: String) throws(Problem) -> String {
    switch value {
    case .string(let text): return text
    case .number(let number): return number.text
    case .bool(let flag): return flag ? "true" : "false"
    case .null, .array, .object: throw .wrongType(field, expected: "a string, a number, true or false", found: value)
    }
  }

  /// `{"Name": "value"}`, or `{"Name": ["one", "another"]}` for a field that comes more than once; or, as events give them,
  /// `[["Name", "value"], …]`.
  static func headers(_ value: JsonValue, _ field: String, limit: Int) throws(Problem) -> HttpHeaders {
    try checkCount(value, field, limit)
    var headers = HttpHeaders()
    if case .array(let elements) = value {
      for (index, element) in elements.enumerated() {
        guard case .array(let pair) = element, pair.count == 2 else {
          throw .wrongType("\(field)/\(index)", expected: "a pair of a name and a value", found: element)
        }
        headers.append(try text(pair[0], "\(field)/\(index)/0"), try text(pair[1], "\(field)/\(index)/1"))
      }
      return headers
    }
    guard case .object(let object) = value else { throw .wrongType(field, expected: "an object, or an array of pairs", found: value) }
    for member in object.members {
      switch member.value {
      case .string(let text): headers.append(member.key, text)
      case .array(let elements):
        let place = field + "/" + Problem.pointerToken(member.key)
        for (index, element) in elements.enumerated() { headers.append(member.key, try text(element, "\(place)/\(index)")) }
      case .null, .bool, .number, .object:
        throw .wrongType(field + "/" + Problem.pointerToken(member.key), expected: "a string or an array of strings", found: member.value)
      }
    }
    return headers
  }
}
