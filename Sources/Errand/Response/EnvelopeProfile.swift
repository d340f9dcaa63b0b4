/// How a service wraps its answers: where in its JSON it says whether it worked, why not, and what the data is.
/// Places are JSON pointers (RFC 6901).
public final class EnvelopeProfile: Sendable, Hashable {
  public let name: String
  /// Where success is told, and the values that mean it. Numbers compare by their text, so `"0"` and `0` are alike.
  public let successPointer: String
  public let successValues: [String]
  public let codePointer: String?
  public let messagePointer: String?
  public let dataPointer: String?
  /// Codes that mean that the session is no longer valid.
  public let sessionInvalidCodes: [String]

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
  }

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
