internal import CIdn2

/// Host names with characters outside ASCII: IDNA2008 (RFC 5891) after the mapping of UTS 46, non-transitional and without relaxations.
enum IdnHost {
  /// The longest such host that is looked at, in bytes of UTF-8; what comes out of it has the limit of any host.
  static let maximumLength = 1_024

  /// The host in the form for name servers (`xn--…`), lower case.
  static func encode(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> String {
    guard bytes.count <= maximumLength else { throw .invalid("the URL's host is longer than \(maximumLength) bytes") }
    for byte in bytes where byte <= 0x20 || byte == 0x7F {
      throw .invalid("the URL's host holds a space or a control character")
    }
    let strict = IDN2_USE_STD3_ASCII_RULES.rawValue
    let (encoded, reason) = lookup(bytes, flags: 0)
    guard let encoded else { throw refusal(bytes, reason) }
    // Told to be strict, the library leaves out the characters that it should refuse: where it did, the two differ.
    guard lookup(bytes, flags: strict).encoded == encoded, encoded.utf8.allSatisfy(isLetterDigitHyphenDot) else {
      throw refusal(bytes, "a character of it may not stand in a host name")
    }
    let labels = encoded.utf8.split(separator: Ascii.dot, omittingEmptySubsequences: false)
    guard labels.dropLast().allSatisfy({ !$0.isEmpty }), encoded.utf8.first != Ascii.dot else { throw refusal(bytes, "a label is empty") }
    guard encoded.utf8.count <= 254 else { throw refusal(bytes, "it is longer than 253 bytes when encoded") }
    return encoded
  }

  /// Refuses an ASCII host with an `xn--` label that is no Punycode. Whether the characters that it stands for are allowed is not asked:
  /// names that were registered under older rules still have to be reached.
  static func checkEncodedLabels(_ host: UnsafeRawBufferPointer) throws(WireError) {
    for label in host.split(separator: Ascii.dot) {
      let label = UnsafeRawBufferPointer(rebasing: label)
      guard label.count >= 4, Ascii.equals(label[piece: 0..<4], "xn--") else { continue }
      let text = [UInt8](label) + [0]
      var decoded: UnsafeMutablePointer<CChar>?
      let status = text.withUnsafeBytes { idn2_to_unicode_8z8z($0.baseAddress?.assumingMemoryBound(to: CChar.self), &decoded, 0) }
      idn2_free(decoded)
      guard status == IDN2_OK.rawValue else { throw refusal(host, "the label \(excerpt(label)) is not valid: \(words(status))") }
    }
  }

  private static func lookup(_ bytes: UnsafeRawBufferPointer, flags: UInt32) -> (encoded: String?, reason: String) {
    let text = [UInt8](bytes) + [0]
    var result: UnsafeMutablePointer<UInt8>?
    let all = IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue | flags
    let status = idn2_lookup_u8(text, &result, Int32(bitPattern: all))
    defer { idn2_free(result) }
    guard status == IDN2_OK.rawValue, let result else { return (nil, words(status)) }
    return (String(cString: result), "")
  }

  private static func isLetterDigitHyphenDot(_ byte: UInt8) -> Bool {
    Ascii.isDigit(byte) || byte &- 0x61 < 26 || byte == Ascii.minus || byte == Ascii.dot
  }

  private static func words(_ status: Int32) -> String {
    switch status {
    case IDN2_TOO_BIG_LABEL.rawValue, IDN2_PUNYCODE_BIG_OUTPUT.rawValue: "a label is longer than 63 bytes when encoded"
    case IDN2_TOO_BIG_DOMAIN.rawValue: "it is longer than 253 bytes when encoded"
    case IDN2_ALABEL_ROUNDTRIP_FAILED.rawValue: "a character of it may not stand in a host name"
    default: String(cString: idn2_strerror(status))
    }
  }

  private static func refusal(_ host: UnsafeRawBufferPointer, _ reason: String) -> WireError {
    .invalid("the URL's host \"\(readable(host))\" is no host name: \(reason)")
  }

  /// The host for people: what does not show, or turns the text around it, is escaped.
  private static func readable(_ host: UnsafeRawBufferPointer) -> String {
    var text = ""
    for scalar in String(peer: host).unicodeScalars.prefix(80) {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default:
        text.unicodeScalars.append(scalar)
      }
    }
    return host.count > 80 && text.unicodeScalars.count >= 80 ? text + "…" : text
  }
}
