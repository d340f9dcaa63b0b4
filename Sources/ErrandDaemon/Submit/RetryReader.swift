internal import Errand
internal import HttpWire

/// Reads `retry` of a request.
enum RetryReader {
  static let fields = ["max", "statuses", "errors", "base_delay_ms", "max_delay_ms"]

  static func read(_ value: JsonValue) throws(Problem) -> RetryPolicy {
    var retry = RetryPolicy()
    for member in try FieldReader.object(value, "/retry", of: fields) {
      let field = "/retry/" + Problem.pointerToken(member.key)
      switch member.key {
      case "max": retry.max = Int(try FieldReader.integer(member.value, field, 0...Int64(SubmissionRules.retries)))
      case "statuses": retry.statuses = try FieldReader.statuses(member.value, field)
      case "errors": retry.errors = try causes(member.value, field)
      case "base_delay_ms": retry.baseDelay = try FieldReader.milliseconds(member.value, field)
      case "max_delay_ms": retry.maxDelay = try FieldReader.milliseconds(member.value, field)
      default: throw .unknownField(member.key, at: "/retry", among: fields)
      }
    }
    return retry
  }

  private static func causes(_ value: JsonValue, _ field: String) throws(Problem) -> [RetryCause] {
    guard case .array(let elements) = value else { throw .wrongType(field, expected: "an array of error codes", found: value) }
    var causes: [RetryCause] = []
    for (index, element) in elements.enumerated() { causes.append(try FieldReader.choice(element, "\(field)/\(index)")) }
    return causes
  }
}
