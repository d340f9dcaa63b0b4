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
  /// Those of success, code, message and data; where one is not told, success stands in for it.
  private let paths: [JsonPath]

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
    var paths: [JsonPath] = []
    var fault: String?
    if name.isEmpty { fault = "an envelope needs a name" }
    if successValues.isEmpty { fault = "the envelope \(name) names no value that means success" }
    for (what, pointer) in [("success", successPointer), ("code", codePointer), ("message", messagePointer), ("data", dataPointer)] {
      let pointer = pointer ?? successPointer
      do throws(JsonError) {
        paths.append(try JsonPath(pointer))
      } catch {
        let words = "\(error.message): \(PeerText.line(pointer, limit: 80))"
        fault = fault ?? "the envelope \(name) has a wrong pointer to its \(what): \(words)"
      }
    }
    self.paths = paths
    self.fault = fault
  }

  /// What an answer says in its envelope. Its texts are nil where the value is absent, or no text, number or flag.
  struct Contents {
    fileprivate let body: [UInt8]
    fileprivate let places: [Range<Int>?]

    var success: String? { text(0) }
    var code: String? { text(1) }
    var message: String? { text(2) }
    var data: Range<Int>? { places[3] }

    private func text(_ index: Int) -> String? { places[index].flatMap { EnvelopeProfile.text(body[$0]) } }
  }

  /// Throws unless the body is JSON. Of equal keys the first counts.
  func open(_ body: [UInt8]) throws(JsonError) -> Contents {
    var places = try Json.places(of: paths, in: body)
    // Only one with a fault has fewer.
    while places.count < 4 { places.append(nil) }
    for (index, pointer) in [(1, codePointer), (2, messagePointer), (3, dataPointer)] where pointer == nil { places[index] = nil }
    return Contents(body: body, places: places)
  }

  private static func text(_ json: ArraySlice<UInt8>) -> String? {
    switch json.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), nil: nil
    case UInt8(ascii: "\""): (try? JsonValue.parse(Array(json)))?.string
    default: String(decoding: json, as: UTF8.self)
    }
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
