internal import Errand

/// A named way in which a service wraps its answers. Places are JSON pointers (RFC 6901).
public struct EnvelopeSettings: Codable, Sendable, Equatable {
  public var name = ""
  public var successPointer = ""
  public var successValues: [String] = []
  public var codePointer: String?
  public var messagePointer: String?
  public var dataPointer: String?
  public var sessionInvalidCodes: [String] = []

  enum CodingKeys: String, CodingKey, CaseIterable {
    case name
    case successPointer = "success_pointer"
    case successValues = "success_values"
    case codePointer = "code_pointer"
    case messagePointer = "message_pointer"
    case dataPointer = "data_pointer"
    case sessionInvalidCodes = "session_invalid_codes"
  }

  public init(from decoder: any Decoder) throws {
    let reader = try SettingsReader<CodingKeys>(decoder)
    try reader.read(.name, &name)
    if name.isEmpty { throw reader.failure(.name, "is missing") }
    try reader.read(.successPointer, &successPointer)
    try reader.read(.successValues, &successValues)
    if successValues.isEmpty { throw reader.failure(.successValues, "must name at least one value") }
    try reader.read(.codePointer, &codePointer)
    try reader.read(.messagePointer, &messagePointer)
    try reader.read(.dataPointer, &dataPointer)
    try reader.read(.sessionInvalidCodes, &sessionInvalidCodes)
    let pointers: [(CodingKeys, String?)] = [
      (.successPointer, successPointer), (.codePointer, codePointer), (.messagePointer, messagePointer), (.dataPointer, dataPointer),
    ]
    for case (let key, let pointer?) in pointers where !pointer.isEmpty && !pointer.hasPrefix("/") {
      throw reader.failure(key, "must be a JSON pointer, such as \"/status\"")
    }
  }

  init(_ profile: EnvelopeProfile) {
    name = profile.name
    successPointer = profile.successPointer
    successValues = profile.successValues
    codePointer = profile.codePointer
    messagePointer = profile.messagePointer
    dataPointer = profile.dataPointer
    sessionInvalidCodes = profile.sessionInvalidCodes
  }

  static let shipped = EnvelopeProfile.shipped.map(EnvelopeSettings.init)

  var profile: EnvelopeProfile {
    EnvelopeProfile(
      name: name, successPointer: successPointer, successValues: successValues, codePointer: codePointer, messagePointer: messagePointer,
      dataPointer: dataPointer, sessionInvalidCodes: sessionInvalidCodes)
  }
}
