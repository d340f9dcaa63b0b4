internal import Errand
internal import HttpWire

/// Reads `auth`: one scheme with what it needs. A text `secret:NAME` stands for a secret of the configuration.
struct CredentialReader {
  static let fields = ["basic", "digest", "any", "bearer"]
  private static let userFields = ["user", "password"]

  let secrets: [String: String]

  func read(_ value: JsonValue) throws(Problem) -> HttpCredentials {
    let object = try FieldReader.object(value, "/auth", of: CredentialReader.fields)
    guard object.count == 1, let member = object.members.first else {
      throw .invalidValue("/auth", "must have one of \(CredentialReader.fields.joined(separator: ", "))")
    }
    switch member.key {
    case "bearer": return .bearer(try secret(member.value, "/auth/bearer"))
    case "basic", "digest", "any":
      let (user, password) = try pair(member.value, "/auth/" + member.key)
      switch member.key {
      case "basic": return .basic(user: user, password: password)
      case "digest": return .digest(user: user, password: password)
      default: return .any(user: user, password: password)
      }
    default: throw .unknownField(member.key, at: "/auth", among: CredentialReader.fields)
    }
  }

  private func pair(_ value: JsonValue, _ place: String) throws(Problem) -> (user: String, password: String) {
    var (user, password): (String?, String?)
    for member in try FieldReader.object(value, place, of: CredentialReader.userFields) {
      switch member.key {
      case "user": user = try secret(member.value, place + "/user")
      case "password": password = try secret(member.value, place + "/password")
      default: throw .unknownField(member.key, at: place, among: CredentialReader.userFields)
      }
    }
    guard let user else { throw .missing(place + "/user") }
    return (user, password ?? "")
  }

  /// The text, or the secret that it names.
  func secret(_ value: JsonValue, _ field: String) throws(Problem) -> String {
    let text = try FieldReader.text(value, field)
    guard text.hasPrefix("secret:") else { return text }
    let name = String(text.dropFirst("secret:".count))
    guard let secret = secrets[name] else {
      let known = secrets.keys.sorted()
      throw .invalidValue(
        field, "names no secret of the configuration; there \(known.isEmpty ? "are none" : "are: " + known.joined(separator: ", "))")
    }
    return secret
  }
}
