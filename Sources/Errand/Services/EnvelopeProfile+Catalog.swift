internal import HttpWire

extension EnvelopeProfile {
  /// The name of a known one, or one of the catalogue's own.
  static func read(_ value: JsonValue, _ path: String, among known: [String: EnvelopeProfile]) throws(CatalogError) -> EnvelopeProfile {
    if let name = value.string {
      guard let envelope = known[name] else {
        let names = known.keys.sorted().joined(separator: ", ")
        throw CatalogError(path, "names the envelope \(PeerText.line(name, limit: 80)), which is not known; there are: \(names)")
      }
      return envelope
    }
    let reader = try CatalogReader(
      value, path,
      of: ["name", "success_pointer", "success_values", "code_pointer", "message_pointer", "data_pointer", "session_invalid_codes"])
    guard let success = try reader.text("success_pointer") else { throw reader.failure("success_pointer", "is missing") }
    let envelope = EnvelopeProfile(
      name: try reader.text("name") ?? "of the catalogue", successPointer: success, successValues: try reader.texts("success_values") ?? [],
      codePointer: try reader.text("code_pointer"), messagePointer: try reader.text("message_pointer"),
      dataPointer: try reader.text("data_pointer"),
      sessionInvalidCodes: try reader.texts("session_invalid_codes") ?? [])
    if let fault = envelope.fault { throw CatalogError(path, "can't be used: \(fault)") }
    return envelope
  }
}
