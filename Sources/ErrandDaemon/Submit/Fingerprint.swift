internal import Hashing
internal import HttpWire

/// What tells one described request from another: SHA-256 of its JSON, whatever the order of its members and its white space.
enum Fingerprint {
  /// Without the idempotency key itself.
  static func of(_ object: JsonObject) -> [UInt8] {
    var bytes: [UInt8] = []
    append(.object(JsonObject(object.members.filter { $0.key != "idempotency_key" })), to: &bytes)
    return HashAlgorithm.sha256.hash(bytes)
  }

  private static func append(_ value: JsonValue, to bytes: inout [UInt8]) {
    switch value {
    case .null, .bool, .number, .string: value.write(to: &bytes)
    case .array(let elements):
      bytes.append("[")
      for element in elements {
        append(element, to: &bytes)
        bytes.append(",")
      }
      bytes.append("]")
    case .object(let object):
      bytes.append("{")
      for member in object.members.sorted(by: { $0.key < $1.key }) {
        Json.appendQuoted(member.key, to: &bytes)
        bytes.append(":")
        append(member.value, to: &bytes)
        bytes.append(",")
      }
      bytes.append("}")
    }
  }
}
