internal import CNghttp2
internal import EventLoop

/// Header sections by hand: written as literals that touch no table, read by nghttp2's own inflater.
enum Hpack {
  static func literals(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { [0] + text($0.0) + text($0.1) }
  }

  static func text(_ text: String) -> [UInt8] {
    integer(text.utf8.count, prefix: 7) + Array(text.utf8)
  }

  static func integer(_ value: Int, prefix: Int, first: UInt8 = 0) -> [UInt8] {
    let most = (1 << prefix) - 1
    if value < most { return [first | UInt8(value)] }
    var bytes = [first | UInt8(most)]
    var rest = value - most
    while rest >= 128 {
      bytes.append(UInt8(rest & 127 | 128))
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}

@LoopActor
final class HpackReader {
  private var inflater: OpaquePointer?

  init() { nghttp2_hd_inflate_new(&inflater) }

  isolated deinit { nghttp2_hd_inflate_del(inflater) }

  /// The fields of a section; nil if it is none.
  func read(_ section: [UInt8]) -> [(name: String, value: String)]? {
    var fields: [(name: String, value: String)] = []
    var offset = 0
    while true {
      var field = nghttp2_nv()
      var flags: Int32 = 0
      let count = section.withUnsafeBufferPointer {
        nghttp2_hd_inflate_hd2(inflater, &field, &flags, $0.baseAddress.map { $0 + offset }, section.count - offset, 1)
      }
      if count < 0 { return nil }
      offset += count
      if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0 {
        let name = String(decoding: UnsafeBufferPointer(start: field.name, count: field.namelen), as: UTF8.self)
        fields.append((name, String(decoding: UnsafeBufferPointer(start: field.value, count: field.valuelen), as: UTF8.self)))
      }
      if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 {
        nghttp2_hd_inflate_end_headers(inflater)
        return fields
      }
      if count == 0 && offset >= section.count { return nil }
    }
  }
}
