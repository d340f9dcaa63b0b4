internal import Errand
internal import HttpWire

/// Turns the JSON of `POST /v1/cancel` into a scope of what the owner may cancel.
enum ScopeReader {
  static let fields = ["delegate", "tag", "key", "key_prefix", "host", "all"]

  static func read(_ json: JsonValue, owner: Owner) throws(Problem) -> CancelScope {
    var scope = CancelScope()
    var isAll = false
    let object = try FieldReader.object(json, "", of: fields)
    for member in object {
      switch member.key {
      case "delegate": scope.delegateName = try FieldReader.text(member.value, "/delegate")
      case "tag": scope.tag = Int(try FieldReader.integer(member.value, "/tag", .min ... .max))
      case "key": scope.key = try FieldReader.text(member.value, "/key")
      case "key_prefix": scope.keyPrefix = try FieldReader.text(member.value, "/key_prefix")
      case "host": scope.host = try FieldReader.text(member.value, "/host").lowercased()
      case "all":
        guard case .bool(true) = member.value else { throw .wrongType("/all", expected: "true", found: member.value) }
        isAll = true
      default: throw .unknownField(member.key, at: "", among: fields)
      }
    }
    guard !object.isEmpty else {
      throw .invalidValue("", "names no scope: give delegate, tag, key, key_prefix or host, or \"all\": true")
    }
    if isAll, object.count > 1 { throw .invalidValue("/all", "can't stand beside other parts of a scope") }
    if owner.isRoot { return isAll ? .all : scope }
    scope.owner = owner.description
    return scope
  }
}
