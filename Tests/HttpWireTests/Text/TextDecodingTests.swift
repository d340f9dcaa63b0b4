import TestSupport
import Testing

@testable import HttpWire

struct TextDecodingTests {
  @Test(
    arguments: [
      ("shift_jis", "日本語", [0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA]), ("Shift-JIS", "①", [0x87, 0x40]), ("windows-31j", "ｱ", [0xB1]),
      ("euc-jp", "日本語", [0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC]), ("iso-2022-jp", "日", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]),
      ("gbk", "中文", [0xD6, 0xD0, 0xCE, 0xC4]), ("GB2312", "中文", [0xD6, 0xD0, 0xCE, 0xC4]), ("gb18030", "😀", [0x94, 0x39, 0xFC, 0x36]),
      ("gbk", "😀", [0x94, 0x39, 0xFC, 0x36]), ("big5", "中文", [0xA4, 0xA4, 0xA4, 0xE5]),
      ("euc-kr", "한국어", [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE]), ("ks_c_5601-1987", "똠", [0x8C, 0x63]),
      ("koi8-r", "Привет", [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4]), ("windows-1251", "Привет", [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]),
      ("ibm866", "Привет", [0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2]), ("iso-8859-5", "Привет", [0xBF, 0xE0, 0xD8, 0xD2, 0xD5, 0xE2]),
      ("latin1", "é“€", [0xE9, 0x93, 0x80]), ("ISO-8859-1", "ÿ\u{81}\u{A0}", [0xFF, 0x81, 0xA0]), ("us-ascii", "ä", [0xE4]),
      ("windows-1252", "Œuvre’s", [0x8C, 0x75, 0x76, 0x72, 0x65, 0x92, 0x73]), ("iso-8859-2", "Łódź", [0xA3, 0xF3, 0x64, 0xBC]),
      ("windows-1250", "Łódź", [0xA3, 0xF3, 0x64, 0x9F]), ("iso-8859-15", "€", [0xA4]), ("iso-8859-7", "Ω", [0xD9]),
      ("windows-1253", "Ω", [0xD9]), ("iso-8859-9", "ğ€", [0xF0, 0x80]), ("windows-1255", "שלום", [0xF9, 0xEC, 0xE5, 0xED]),
      ("iso-8859-8-i", "שלום", [0xF9, 0xEC, 0xE5, 0xED]), ("windows-1256", "سلام", [0xD3, 0xE1, 0xC7, 0xE3]),
      ("tis-620", "ไทย", [0xE4, 0xB7, 0xC2]), ("windows-1257", "ž", [0xFE]), ("windows-1258", "ế", [0xEA, 0xEC]),
      ("macintosh", "é", [0x8E]),
      ("utf-16le", "aé😀", [0x61, 0, 0xE9, 0, 0x3D, 0xD8, 0, 0xDE]), ("utf-16be", "aé😀", [0, 0x61, 0, 0xE9, 0xD8, 0x3D, 0xDE, 0]),
      ("utf-16", "a", [0x61, 0]), ("utf8", "aé", [0x61, 0xC3, 0xA9]), ("UTF-8", "aé", [0x61, 0xC3, 0xA9]),
    ] as [(String, String, [UInt8])])
  func `the charset that is named decodes`(label: String, text: String, bytes: [UInt8]) {
    for type in ["text/plain; charset=\(label)", "Text/Html;a=b; CHARSET=\"\(label)\"", "text/csv;charset= '\(label)' "] {
      let decoded = TextDecoding.decode(bytes, contentType: type)
      #expect(decoded.text.unicodeScalars.elementsEqual(text.unicodeScalars), "\(type)")
    }
  }

  @Test(arguments: [
    ("latin1", "windows-1252"), ("gb2312", "gbk"), ("x-sjis", "shift_jis"), ("utf8", "utf-8"), ("unicode", "utf-16le"),
    ("ks_c_5601-1987", "euc-kr"), ("iso-8859-9", "windows-1254"), ("iso-8859-11", "windows-874"), ("Big5-HKSCS", "big5"),
  ]) func `the name is the one of the standard`(label: String, name: String) {
    #expect(TextDecoding.decode([0x61, 0x62], contentType: "text/plain; charset=\(label)").encoding == name)
  }

  @Test(arguments: [
    nil, "", "text/plain", "text/plain; charset=", "text/plain; charset=unheard-of", "text/plain; charset=../../etc/passwd",
    "text/plain; charset=UTF-8//TRANSLIT", "text/plain; charset=\"\"", "text/plain; charset=utf-7", ";;;charset=latin1",
    "text/plain; charset=\u{7F}",
  ]) func `what names no charset that is known is UTF-8`(contentType: String?) {
    let decoded = TextDecoding.decode(Array("grün".utf8) + [0xFF], contentType: contentType)
    #expect(decoded.text == "grün\u{FFFD}" && decoded.encoding == "utf-8")
  }

  @Test(
    arguments: [
      ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é", "utf-8"), ([0xFE, 0xFF, 0, 0xE9], "é", "utf-16be"), ([0xFF, 0xFE, 0xE9, 0], "é", "utf-16le"),
      ([0xEF, 0xBB, 0xBF], "", "utf-8"), ([0xFE, 0xFF], "", "utf-16be"), ([0xEF, 0xBB], "ï»", "windows-1252"),
      ([0xFE], "þ", "windows-1252"),
    ] as [([UInt8], String, String)])
  func `a byte order mark stands above the charset, and is no text`(bytes: [UInt8], text: String, encoding: String) {
    let decoded = TextDecoding.decode(bytes, contentType: "text/plain; charset=latin1")
    #expect(decoded.text == text && decoded.encoding == encoding)
  }

  @Test(
    arguments: [
      ("shift_jis", [0x61, 0x93], "a\u{FFFD}"), ("shift_jis", [0xFF, 0x61], "\u{FFFD}a"), ("euc-jp", [0xC6, 0x41], "\u{FFFD}A"),
      ("gbk", [0x81], "\u{FFFD}"), ("big5", [0xA4, 0xA4, 0xFF], "中\u{FFFD}"), ("euc-kr", [0xFF, 0xC7, 0xD1], "\u{FFFD}한"),
      ("utf-16le", [0x61], "\u{FFFD}"), ("utf-16be", [0xD8, 0x3D, 0, 0x61], "\u{FFFD}a"), ("utf-16le", [0x61, 0, 0x62], "a\u{FFFD}"),
      ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46], "\u{FFFD}"), ("iso-8859-8", [0xA1, 0xE0], "\u{FFFD}א"),
      ("utf-8", [0xE2, 0x82, 0x41], "\u{FFFD}A"),
    ] as [(String, [UInt8], String)])
  func `bytes that are no text are replaced, and the rest is read`(label: String, bytes: [UInt8], text: String) {
    #expect(TextDecoding.decode(bytes, contentType: "text/plain; charset=\(label)").text == text)
  }

  @Test func `each encoding of the table is there, and takes random bytes`() throws {
    var generator = SeededGenerator(seed: 9)
    let labels = [
      "ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-8-i",
      "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874",
      "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257",
      "windows-1258", "x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr", "utf-8", "utf-16le",
      "utf-16be",
    ]
    for label in labels {
      let ascii = Array("plain ASCII, as most of it is".utf8)
      let decoded = ascii.withBytes { TextDecoding.decode($0, label: label) }
      #expect(decoded?.encoding == label)
      if !label.hasPrefix("utf-16") { #expect(decoded?.text == String(decoding: ascii, as: UTF8.self)) }
      for _ in 0..<300 {
        let bytes = generator.bytes(upTo: 200)
        let text = try #require(bytes.withBytes { TextDecoding.decode($0, label: label) }).text
        #expect(text.unicodeScalars.count <= 2 * bytes.count + 1)
      }
    }
  }

  @Test func `a long text is whole`() {
    let text = String(repeating: "日本語のテキスト。", count: 20_000)
    let bytes = Array(repeatElement([0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA] as [UInt8], count: 50_000).joined())
    #expect(TextDecoding.decode(bytes, contentType: "text/plain; charset=shift_jis").text == String(repeating: "日本語", count: 50_000))
    #expect(TextDecoding.decode(Array(text.utf8), contentType: nil).text == text)
  }
}
