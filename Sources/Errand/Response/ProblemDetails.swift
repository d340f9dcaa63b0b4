public import HttpWire

/// What a service says of a problem in a form for programs: `application/problem+json` (RFC 9457).
///
/// A member of another type than the RFC gives it is taken for absent. Everything here is the service's own words: of any content, and
/// as long as ``maximumBytes`` allows. ``summary`` is what may go into a log.
public struct ProblemDetails: Sendable, Equatable {
  /// A URI that names the kind of problem; `about:blank` where the service gives none: then the status says all.
  public let type: String
  /// A few words for people on the kind of problem.
  public let title: String?
  /// The status as the service believes to have sent it.
  public let status: Int?
  /// What is special about this occurrence, for people.
  public let detail: String?
  /// A URI that names this occurrence.
  public let instance: String?
  /// The further members, in their order.
  public let extensions: JsonObject

  /// The longest body that is read as a problem, in bytes: 64 KiB.
  public static let maximumBytes = 65_536

  /// nil unless the response has that media type and its body is a JSON object of at most ``maximumBytes``. The status does not count.
  public init?(_ response: HttpResponse) {
    guard let contentType = response.headers["Content-Type"], let type = MediaType(contentType), type.type == "application",
      type.subtype == "problem+json", response.body.count <= ProblemDetails.maximumBytes,
      case .object(let members)? = try? JsonValue.parse(response.body, allowsDuplicateKeys: true)
    else { return nil }
    self.init(members)
  }

  init(_ members: JsonObject) {
    type = members["type"]?.string ?? "about:blank"
    title = members["title"]?.string
    status = members["status"]?.int.flatMap { (100...999).contains($0) ? Int($0) : nil }
    detail = members["detail"]?.string
    instance = members["instance"]?.string
    extensions = JsonObject(members.filter { !ProblemDetails.names.contains($0.key) })
  }

  /// Title and detail in one line of bounded length; nil if there is neither.
  public var summary: String? {
    let words = [title, detail].compactMap { $0 }.filter { !$0.isEmpty }.map { PeerText.line($0) }
    return words.isEmpty ? nil : words.joined(separator: ": ")
  }

  private static let names: Set<String> = ["type", "title", "status", "detail", "instance"]
}

extension HttpClientError {
  /// What the failed response says of the problem (RFC 9457), read anew each time; nil if it does not in that form.
  public var problem: ProblemDetails? { response.flatMap(ProblemDetails.init) }
}
