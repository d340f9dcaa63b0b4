internal import Errand
internal import HttpWire

/// Turns the JSON of one submission into a request, or says which field is wrong.
struct SubmissionReader {
  static let fields = [
    "url", "method", "params", "headers", "json", "form", "body", "body_base64", "body_file", "multipart", "delegate", "events", "tag",
    "key", "meta", "timeouts", "retry", "auth", "cookies", "cache", "decode", "download", "version", "path", "expect", "envelope",
    "accept_status", "max_body_bytes", "unix_socket", "tls", "proxy", "no_proxy", "resolve", "http_version",
    "priority", "durability", "idempotency_key", "not_before", "deadline", "service", "redirects", "max_redirects",
    "allow_insecure_redirects",
  ]
  static let timeoutFields = ["queue_ms", "connect_ms", "first_byte_ms", "idle_ms", "total_ms"]
  /// Those in which null stands for "not given"; in the others any JSON is meant.
  private static let nullable = Set(fields).subtracting(["json", "meta"])

  let rules: SubmissionRules

  func read(_ json: JsonValue) throws(Problem) -> Submission {
    guard case .object(let object) = json else { throw .wrongType("", expected: "an object", found: json) }
    var submission = Submission()
    var url: String?
    var bodyField: String?
    var members: [String: JsonValue] = [:]
    submission.request.httpVersion = rules.connecting.httpVersion
    submission.durability = rules.durability
    for member in object.members {
      if case .null = member.value, SubmissionReader.nullable.contains(member.key) { continue }
      switch member.key {
      case "url": url = try FieldReader.text(member.value, "/url")
      case "method": submission.request.method = try method(member.value)
      case "params": submission.request.params = try FieldReader.params(member.value, "/params", limit: rules.fields)
      case "headers": submission.request.headers = try FieldReader.headers(member.value, "/headers", limit: rules.fields)
      case "delegate": submission.delegate = try delegate(member.value)
      case "events": submission.events = try WantedEvents.read(member.value)
      case "tag": submission.request.tag = Int(try FieldReader.integer(member.value, "/tag", .min ... .max))
      case "key": submission.request.key = try key(member.value)
      case "meta": submission.meta = try meta(member.value)
      case "json", "form", "body", "body_base64", "body_file", "multipart":
        if let bodyField {
          throw .invalidValue("/" + member.key, "can't stand beside /\(bodyField): a request has one body")
        }
        bodyField = member.key
        submission.request.body = try BodyReader.read(member, fieldLimit: rules.fields, files: &submission.files)
      case "auth": try CredentialReader(secrets: rules.connecting.secrets).read(member.value, into: &submission.request)
      case "cookies": submission.usesCookies = try FieldReader.flag(member.value, "/cookies")
      case "cache": submission.request.cache = try FieldReader.choice(member.value, "/cache")
      case "decode": submission.request.decodes = try FieldReader.flag(member.value, "/decode")
      case "download": submission.request.download = try DownloadReader.read(member.value, files: &submission.files)
      case "version": submission.request.serviceVersion = Int(try FieldReader.integer(member.value, "/version", 0...1_000_000_000))
      case "path": submission.request.path = try FieldReader.text(member.value, "/path")
      case "timeouts": submission.request.timeouts = try timeouts(member.value)
      case "retry": submission.request.retry = try RetryReader.read(member.value)
      case "envelope": submission.request.envelope = try envelope(member.value)
      case "expect": submission.request.expect = try FieldReader.choice(member.value, "/expect")
      case "accept_status": submission.request.acceptStatus = try FieldReader.statuses(member.value, "/accept_status")
      case "max_body_bytes":
        submission.request.maxBodyBytes = try FieldReader.integer(member.value, "/max_body_bytes", 0...1_099_511_627_776)
      case "unix_socket": submission.request.unixSocket = try unixSocket(member.value)
      case "resolve": submission.request.resolve = try RouteReader.resolve(member.value)
      case "http_version": submission.request.httpVersion = try FieldReader.choice(member.value, "/http_version")
      case "priority": submission.request.priority = Int(try FieldReader.integer(member.value, "/priority", SubmissionRules.priorities))
      case "durability": submission.durability = try FieldReader.choice(member.value, "/durability") as Durability
      case "idempotency_key": submission.idempotencyKey = try idempotencyKey(member.value)
      case "not_before": submission.notBefore = try FieldReader.time(member.value, "/not_before")
      case "deadline": submission.deadline = try FieldReader.time(member.value, "/deadline")
      case "redirects": submission.request.redirects = try FieldReader.choice(member.value, "/redirects")
      case "max_redirects":
        submission.request.maxRedirects = Int(try FieldReader.integer(member.value, "/max_redirects", 0...SubmissionRules.redirects))
      case "allow_insecure_redirects":
        submission.request.allowsInsecureRedirects = try FieldReader.flag(member.value, "/allow_insecure_redirects")
      case "tls", "proxy", "no_proxy", "service": members[member.key] = member.value
      default: throw .unknownField(member.key, at: "", among: SubmissionReader.fields)
      }
    }
    try connect(&submission.request, members, hasUrl: url != nil)
    if url == nil, submission.request.service != nil, submission.request.path == nil { submission.request.path = "" }
    if submission.request.path != nil {
      if url != nil { throw .invalidValue("/path", "can't stand beside /url: it goes below the base URL of a service") }
      if submission.request.service == nil { throw .missing("/service") }
    } else if url == nil {
      throw .missing("/url")
    }
    if submission.idempotencyKey != nil { submission.fingerprint = Fingerprint.of(object) }
    if let start = submission.notBefore, let end = submission.deadline, start.microseconds >= end.microseconds {
      throw .invalidValue("/deadline", "must be after /not_before")
    }
    submission.request.url = url ?? ""
    if let path = submission.request.localFile { submission.files.append(SubmittedFile(path, "/url")) }
    submission.request.delegateName = submission.delegate
    return submission
  }

  private static let knownMethods: Set<String> = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"]

  private func method(_ value: JsonValue) throws(Problem) -> HttpMethod {
    let text = try FieldReader.text(value, "/method")
    switch text {
    case "GET": return .get
    case "POST": return .post
    default: break
    }
    let upper = text.uppercased()
    if upper != text, SubmissionReader.knownMethods.contains(upper) {
      throw .invalidValue("/method", "is \(text.debugDescription), and methods are case-sensitive: did you mean \(upper)?")
    }
    do throws(WireError) {
      return try HttpMethod(text)
    } catch {
      throw .invalidValue("/method", "must be a method such as GET: \(error.message)")
    }
  }

  private func delegate(_ value: JsonValue) throws(Problem) -> String {
    let name = try FieldReader.text(value, "/delegate")
    guard SubmissionRules.isDelegateName(name) else {
      throw .invalidValue("/delegate", "must be 1 to \(SubmissionRules.delegateBytes) of the characters A-Z a-z 0-9 . _ -")
    }
    return name
  }

  private func key(_ value: JsonValue) throws(Problem) -> String {
    let key = try FieldReader.text(value, "/key")
    if key.utf8.count > rules.keyBytes { throw .tooLarge("/key", key.utf8.count, limit: "key_bytes", rules.keyBytes, field: "/key") }
    return key
  }

  private func idempotencyKey(_ value: JsonValue) throws(Problem) -> String {
    let key = try FieldReader.text(value, "/idempotency_key")
    guard (1...255).contains(key.utf8.count) else { throw .invalidValue("/idempotency_key", "must have 1 to 255 bytes") }
    return key
  }

  private func meta(_ value: JsonValue) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    value.write(to: &bytes)
    if bytes.count > rules.metaBytes { throw .tooLarge("/meta", bytes.count, limit: "meta_bytes", rules.metaBytes, field: "/meta") }
    return bytes
  }

  private func timeouts(_ value: JsonValue) throws(Problem) -> Timeouts {
    var timeouts = Timeouts()
    for member in try FieldReader.object(value, "/timeouts", of: SubmissionReader.timeoutFields) {
      let field = "/timeouts/" + Problem.pointerToken(member.key)
      switch member.key {
      case "queue_ms": timeouts.queue = try FieldReader.milliseconds(member.value, field)
      case "connect_ms": timeouts.connect = try FieldReader.milliseconds(member.value, field)
      case "first_byte_ms": timeouts.firstByte = try FieldReader.milliseconds(member.value, field)
      case "idle_ms": timeouts.idle = try FieldReader.milliseconds(member.value, field)
      case "total_ms": timeouts.total = try FieldReader.milliseconds(member.value, field)
      default: throw .unknownField(member.key, at: "/timeouts", among: SubmissionReader.timeoutFields)
      }
    }
    return timeouts
  }

  /// How to connect: as the request says, else its service, else the client.
  private func connect(_ request: inout HttpRequest, _ members: [String: JsonValue], hasUrl: Bool) throws(Problem) {
    var service: ConnectionRules.Service?
    if let value = members["service"] {
      let name = try FieldReader.text(value, "/service")
      service = rules.connecting.services[name]
      // One in place of a URL is looked for in the catalogue, which says itself what there is.
      guard service != nil || !hasUrl else {
        let known = rules.connecting.services.keys.sorted()
        throw .invalidValue(
          "/service",
          "names no service of the configuration, as it has to beside a URL; there "
            + (known.isEmpty ? "are none" : "are: " + known.joined(separator: ", ")))
      }
      request.service = name
    }
    request.tls = service?.tls
    if let value = members["tls"] { request.tls = try TlsReader.read(value, over: service?.tls ?? rules.connecting.tls) }
    request.proxy = try RouteReader.proxy(members["proxy"], noProxy: members["no_proxy"]) ?? service?.proxy
  }

  private func envelope(_ value: JsonValue) throws(Problem) -> EnvelopeProfile {
    let name = try FieldReader.text(value, "/envelope")
    guard let profile = rules.envelopes[name] else {
      let known = rules.envelopes.keys.sorted().joined(separator: ", ")
      throw .invalidValue("/envelope", "names no profile of the configuration; there are: \(known)")
    }
    return profile
  }

  private func unixSocket(_ value: JsonValue) throws(Problem) -> String {
    let path = try FieldReader.text(value, "/unix_socket")
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 107 else {
      throw .invalidValue("/unix_socket", "must be an absolute path of at most 107 bytes")
    }
    return path
  }
}
