internal import Errand
internal import Hashing
internal import HttpWire

/// Reads the member `webhook` of a delegate's declaration.
struct WebhookReader {
  static let fields = ["url", "unix_socket", "secret", "headers", "max_attempts", "timeout_ms", "types"]
  /// What is kept beside them, and given by nobody.
  private static let keptFields = ["id"]
  static let types = ["finished", "failed", "cancelled", "started", "redirected", "progress", "session_invalid", "dropped"]

  let secrets: [String: FileSecret]

  /// Makes a secret where none is given.
  func read(_ value: JsonValue) throws(Problem) -> WebhookTarget {
    try read(value, isKept: false)
  }

  /// What was kept; nil if it is of no use any more.
  func restore(_ json: [UInt8]) -> WebhookTarget? {
    guard let value = try? JsonValue.parse(json) else { return nil }
    return try? read(value, isKept: true)
  }

  private func read(_ value: JsonValue, isKept: Bool) throws(Problem) -> WebhookTarget {
    let place = "/webhook"
    var target = WebhookTarget()
    guard case .object(var object) = value else {
      _ = try FieldReader.object(value, place, of: WebhookReader.fields)
      throw .missing(place)
    }
    for member in object {
      let field = place + "/" + Problem.pointerToken(member.key)
      switch member.key {
      case "url": target.url = try url(member.value, field)
      case "unix_socket":
        let path = try FieldReader.text(member.value, field)
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 107 else {
          throw .invalidValue(field, "must be an absolute path of at most 107 bytes")
        }
        target.unixSocket = path
      case "secret": target.secrets = try secrets(member.value, field)
      case "headers":
        target.headers = try FieldReader.headers(member.value, field, limit: 100)
        for (name, _) in target.headers where name.lowercased().hasPrefix("webhook-") {
          throw .invalidValue(field, "can't have \(name): that is the signature's")
        }
      case "max_attempts": target.maxAttempts = Int(try FieldReader.integer(member.value, field, 1...1_000))
      case "timeout_ms": target.timeout = .milliseconds(try FieldReader.integer(member.value, field, 1...600_000))
      case "types": target.types = try types(member.value, field)
      case "id" where isKept: target.identity = try FieldReader.text(member.value, field)
      default: throw .unknownField(member.key, at: place, among: WebhookReader.fields)
      }
    }
    guard !target.url.isEmpty else { throw .missing(place + "/url") }
    do throws(WireError) { try target.headers.validate() } catch { throw .invalidValue(place + "/headers", error.message) }
    if target.secrets.isEmpty {
      guard let secret = WebhookSignature.newSecret() else { throw .unavailable("the system gives no random secret") }
      target.secrets = [secret]
      object["secret"] = .string(secret)
    }
    if target.identity.isEmpty {
      target.identity = (Sealer.random(9) ?? []).map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
      object["id"] = .string(target.identity)
    }
    JsonValue.object(object).write(to: &target.json)
    return target
  }

  private func url(_ value: JsonValue, _ field: String) throws(Problem) -> String {
    let text = try FieldReader.text(value, field)
    guard text.hasPrefix("http://") || text.hasPrefix("https://"), let url = try? HttpUrl(text) else {
      throw .invalidValue(field, "must be an absolute http or https URL")
    }
    guard !text.dropFirst(8).prefix(while: { $0 != "/" && $0 != "?" }).contains("@") else {
      throw .invalidValue(field, "can't have a user and password: give an Authorization field in headers")
    }
    _ = url
    return text
  }

  private func secrets(_ value: JsonValue, _ field: String) throws(Problem) -> [String] {
    let texts: [JsonValue]
    if case .array(let elements) = value { texts = elements } else { texts = [value] }
    guard (1...5).contains(texts.count) else { throw .invalidValue(field, "must be one secret, or up to 5 of them, today's first") }
    var secrets: [String] = []
    for text in texts {
      let secret = try FieldReader.text(text, field)
      guard key(secret) != nil else {
        throw .invalidValue(
          field,
          "must be whsec_ and the base64 of \(WebhookSignature.keyBytes.lowerBound) to \(WebhookSignature.keyBytes.upperBound) bytes, or secret: and the name of "
            + "such a secret of the configuration")
      }
      secrets.append(secret)
    }
    return secrets
  }

  private func types(_ value: JsonValue, _ field: String) throws(Problem) -> Set<String> {
    guard case .array(let elements) = value else { throw .wrongType(field, expected: "an array of types of events", found: value) }
    var types: Set<String> = []
    for (index, element) in elements.enumerated() {
      let type = try FieldReader.text(element, "\(field)/\(index)")
      guard WebhookReader.types.contains(type) else {
        throw .invalidValue("\(field)/\(index)", "must be one of \(WebhookReader.types.joined(separator: ", "))")
      }
      types.insert(type)
    }
    return types
  }

  /// The key of a secret, as it is now.
  func key(_ secret: String) -> [UInt8]? {
    guard secret.hasPrefix("secret:") else { return WebhookSignature.key(secret) }
    return secrets[String(secret.dropFirst("secret:".count))].flatMap { WebhookSignature.key($0.current) }
  }
}
