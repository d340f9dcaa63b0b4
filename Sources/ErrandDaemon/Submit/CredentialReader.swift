internal import Errand
internal import HttpWire

/// Reads `auth`: one scheme with what it needs. A text `secret:NAME` stands for a secret of the configuration.
struct CredentialReader {
  static let fields = ["basic", "digest", "any", "bearer"]
  private static let userFields = ["user", "password"]

  let secrets: [String: FileSecret]

  func read(_ value: JsonValue, into request: inout HttpRequest) throws(Problem) {
    let object = try FieldReader.object(value, "/auth", of: CredentialReader.fields)
    guard object.count == 1, let member = object.members.first else {
      throw .invalidValue("/auth", "must have one of \(CredentialReader.fields.joined(separator: ", "))")
    }
    switch member.key {
    case "bearer":
      let text = try FieldReader.text(member.value, "/auth/bearer")
      if let secret = try secret(text, "/auth/bearer") { request.tokenSource = secret } else { request.credentials = .bearer(text) }
    case "basic", "digest", "any":
      let (user, password) = try pair(member.value, "/auth/" + member.key)
      switch member.key {
      case "basic": request.credentials = .basic(user: user, password: password)
      case "digest": request.credentials = .digest(user: user, password: password)
      default: request.credentials = .any(user: user, password: password)
      }
    default: throw .unknownField(member.key, at: "/auth", among: CredentialReader.fields)
    }
  }

  private func pair(_ value: JsonValue, _ place: String) throws(Problem) -> (user: String, password: String) {
    var (user, password): (String?, String?)
    for member in try FieldReader.object(value, place, of: CredentialReader.userFields) {
      switch member.key {
      case "user": user = try text(member.value, place + "/user")
      case "password": password = try text(member.value, place + "/password")
      default: throw .unknownField(member.key, at: place, among: CredentialReader.userFields)
      }
    }
    guard let user else { throw .missing(place + "/user") }
    return (user, password ?? "")
  }

  /// The text, or what the secret is that it names.
  private func text(_ value: JsonValue, _ field: String) throws(Problem) -> String {
    let text = try FieldReader.text(value, field)
    return try secret(text, field)?.current ?? text
  }

  /// The secret that a text names; nil if it names none.
  private func secret(_ text: String, _ field: String) throws(Problem) -> FileSecret? {
    guard text.hasPrefix("secret:") else { return nil }
    let name = String(text.dropFirst("secret:".count))
    guard let secret = secrets[name] else {
      let known = secrets.keys.sorted()
      throw .invalidValue(
        field, "names no secret of the configuration; there \(known.isEmpty ? "are none" : "are: " + known.joined(separator: ", "))")
    }
    return secret
  }
}
