internal import HttpWire

/// How a service wraps its answers: where in its JSON it says whether it worked, why not, and what the data is.
/// Places are JSON pointers (RFC 6901). One that can't be used (``fault``) makes each request with it end with `invalid_request`.
public final class EnvelopeProfile: Sendable, Hashable {
  public let name: String
  /// Where success is told, and the values that mean it. Numbers compare by their text, so `"0"` and `0` are alike.
  public let successPointer: String
  public let successValues: [String]
  public let codePointer: String?
  public let messagePointer: String?
  public let dataPointer: String?
  /// Codes that mean that the session is no longer valid (``HttpClient/Configuration/onSessionInvalid``). Compared as ``successValues`` are.
  public let sessionInvalidCodes: [String]
  /// What is wrong with the profile, in words; nil if it can be used.
  public let fault: String?

  public init(
    name: String, successPointer: String, successValues: [String], codePointer: String? = nil, messagePointer: String? = nil,
    dataPointer: String? = nil, sessionInvalidCodes: [String] = []
  ) {
    self.name = name
    self.successPointer = successPointer
    self.successValues = successValues
    self.codePointer = codePointer
    self.messagePointer = messagePointer
    self.dataPointer = dataPointer
    self.sessionInvalidCodes = sessionInvalidCodes
    fault = EnvelopeProfile.fault(
      name, successValues,
      [("success", successPointer), ("code", codePointer), ("message", messagePointer), ("data", dataPointer)])
  }

  private static func fault(_ name: String, _ successValues: [String], _ pointers: [(what: String, pointer: String?)]) -> String? {
    if name.isEmpty { return "an envelope needs a name" }
    if successValues.isEmpty { return "the envelope \(name) names no value that means success" }
    for case (let what, let pointer?) in pointers {
      do throws(JsonError) {
        _ = try Json.range(of: pointer, in: Array("{}".utf8))
      } catch {
        return "the envelope \(name) has a wrong pointer to its \(what): \(error.message): \(PeerText.line(pointer, limit: 80))"
      }
    }
    return nil
  }

  /// Whether a failure with this code says that the session is no longer valid. Where no code is told, the value at ``successPointer`` is the code.
  func endsSession(_ code: String?) -> Bool { code.map(sessionInvalidCodes.contains) ?? false }

  /// `{"status": "success", "info": …}`; any other status is a failure with `info` as its message.
  public static let statusInfo = EnvelopeProfile(
    name: "status-info", successPointer: "/status", successValues: ["success"], codePointer: "/status", messagePointer: "/info",
    dataPointer: "/info")

  /// `{"code": "0", "msg": …, "data": …}`; any other code is a failure.
  public static let codeMsgData = EnvelopeProfile(
    name: "code-msg-data", successPointer: "/code", successValues: ["0"], codePointer: "/code", messagePointer: "/msg",
    dataPointer: "/data")

  /// The profiles that ship.
  public static let shipped = [statusInfo, codeMsgData]

  public static func == (left: EnvelopeProfile, right: EnvelopeProfile) -> Bool {
    left === right
      || left.name == right.name && left.successPointer == right.successPointer && left.successValues == right.successValues
        && left.codePointer == right.codePointer && left.messagePointer == right.messagePointer && left.dataPointer == right.dataPointer
        && left.sessionInvalidCodes == right.sessionInvalidCodes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}
