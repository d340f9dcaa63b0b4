internal import Glibc

/// The C library's conversion of an encoding to UTF-8.
enum IconvDecoder {
  /// The text, with U+FFFD for each byte that is none; nil if the system does not have the encoding.
  static func decode(_ bytes: UnsafeRawBufferPointer, from encoding: String) -> String? {
    guard let converter = iconv_open("UTF-8", encoding), converter != iconv_t(bitPattern: -1) else { return nil }
    defer { iconv_close(converter) }
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count + bytes.count / 2)
    // The declaration is without const; the input is only read.
    var source = bytes.baseAddress.map { UnsafeMutablePointer(mutating: $0.assumingMemoryBound(to: CChar.self)) }
    var left = bytes.count
    while left > 0 {
      switch convert(converter, &source, &left, to: &text) {
      case 0, E2BIG: break
      case EILSEQ:
        text.append(contentsOf: UTF8.encodedReplacementCharacter)
        source = source.map { $0 + 1 }
        left -= 1
      // The last character is cut.
      default:
        text.append(contentsOf: UTF8.encodedReplacementCharacter)
        left = 0
      }
    }
    // Some keep a character back that a following one might combine with.
    var none: UnsafeMutablePointer<CChar>?
    _ = convert(converter, &none, &left, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Converts a piece; gives the error number.
  private static func convert(
    _ converter: iconv_t, _ source: inout UnsafeMutablePointer<CChar>?, _ left: inout Int, to text: inout [UInt8]
  ) -> Int32 {
    var failure: Int32 = 0
    // Room for any one character, also where there is no input any more.
    text.append(addingCapacity: min(8_192, left * 3) + 32) { span in
      span.withUnsafeMutableBufferPointer { buffer, count in
        var target = UnsafeMutableRawBufferPointer(buffer).baseAddress?.assumingMemoryBound(to: CChar.self)
        var free = buffer.count
        if iconv(converter, &source, &left, &target, &free) == -1 { failure = errno }
        count = buffer.count - free
      }
    }
    return failure
  }
}
