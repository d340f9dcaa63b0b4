internal import COpenSSL

/// One of ``TlsSettings/pins``, checked.
struct TlsPin: Hashable {
  /// In the form of ``CertificateWords/pin``.
  let text: String

  /// `sha256//BASE64` or `sha256/BASE64`, where the base64 is that of 32 bytes.
  init(_ setting: String) throws(TlsError) {
    guard setting.hasPrefix("sha256/") else {
      throw TlsError(.settings, "the pin \(setting.prefix(80)) does not begin with sha256//")
    }
    // The base64 may begin with a slash itself, so its length tells the forms apart.
    let base64 = Array(setting.utf8.dropFirst(setting.utf8.count == "sha256//".utf8.count + 44 ? 8 : 7))
    var decoded = [UInt8](repeating: 0, count: 33)
    guard base64.count == 44, base64.last == UInt8(ascii: "="), EVP_DecodeBlock(&decoded, base64, 44) == 33, !base64.contains(0x0a) else {
      OpenSslErrors.clear()
      throw TlsError(.settings, "the pin \(setting.prefix(80)) is not the base64 of a SHA-256 (44 characters)")
    }
    text = "sha256//" + String(decoding: base64, as: UTF8.self)
  }
}
