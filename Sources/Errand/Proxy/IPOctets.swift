internal import Glibc

/// The bytes of an IP address in text, in network order: 4 or 16; nil for anything else. No brackets, no zone.
func ipOctets(_ text: String) -> [UInt8]? {
  // To inet_pton a NUL would be the end of the text. No address is longer than 45 bytes (RFC 4291 2.2).
  guard text.utf8.count <= 45, !text.utf8.contains(0) else { return nil }
  var v4 = in_addr()
  if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: v4) { Array($0) } }
  var v6 = in6_addr()
  if inet_pton(AF_INET6, text, &v6) == 1 { return withUnsafeBytes(of: v6) { Array($0) } }
  return nil
}

/// The text of an address of 4 or 16 bytes; nil for other lengths.
func ipText(_ octets: [UInt8]) -> String? {
  guard octets.count == 4 || octets.count == 16 else { return nil }
  var text = [CChar](repeating: 0, count: 64)
  guard inet_ntop(octets.count == 4 ? AF_INET : AF_INET6, octets, &text, 64) != nil else { return nil }
  return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
