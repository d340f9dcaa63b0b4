/// A character encoding of the WHATWG Encoding standard, under whose labels servers name theirs.
struct TextEncoding {
  enum Decoder {
    case utf8
    case utf16(isBigEndian: Bool)
    case windows1252
    /// By its name in the C library.
    case iconv(String)
  }

  /// In lower case.
  let name: String
  let decoder: Decoder

  /// The encoding for a label in any case, with blanks or quotes around it; nil if there is none.
  init?(label: String) {
    var label = Substring(label.lowercased()).drop(while: Self.isAround)
    while let last = label.last, Self.isAround(last) { label.removeLast() }
    guard let row = Self.labels[String(label)] else { return nil }
    name = Self.table[row].name
    decoder = Self.table[row].decoder
  }

  private static func isAround(_ character: Character) -> Bool {
    character.isWhitespace || character == "\"" || character == "'"
  }

  private static let labels: [String: Int] = {
    var labels: [String: Int] = [:]
    for (row, entry) in table.enumerated() {
      for label in entry.labels.split(separator: " ") { labels[String(label)] = row }
    }
    return labels
  }()

  private static let table: [(name: String, decoder: Decoder, labels: String)] = [
    ("utf-8", .utf8, "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8"),
    (
      "windows-1252", .windows1252,
      "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 iso-ir-100 latin1 l1 cp819 ibm819 csisolatin1 "
        + "us-ascii ascii ansi_x3.4-1968"
    ),
    ("utf-16le", .utf16(isBigEndian: false), "utf-16le utf-16 ucs-2 iso-10646-ucs-2 unicode csunicode unicodefeff"),
    ("utf-16be", .utf16(isBigEndian: true), "utf-16be unicodefffe"),
    ("ibm866", .iconv("CP866"), "ibm866 866 cp866 csibm866"),
    (
      "iso-8859-2", .iconv("ISO-8859-2"),
      "iso-8859-2 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 iso-ir-101 latin2 l2 csisolatin2"
    ),
    (
      "iso-8859-3", .iconv("ISO-8859-3"),
      "iso-8859-3 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 iso-ir-109 latin3 l3 csisolatin3"
    ),
    (
      "iso-8859-4", .iconv("ISO-8859-4"),
      "iso-8859-4 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 iso-ir-110 latin4 l4 csisolatin4"
    ),
    (
      "iso-8859-5", .iconv("ISO-8859-5"),
      "iso-8859-5 iso8859-5 iso88595 iso_8859-5 iso_8859-5:1988 iso-ir-144 cyrillic csisolatincyrillic"
    ),
    (
      "iso-8859-6", .iconv("ISO-8859-6"),
      "iso-8859-6 iso8859-6 iso88596 iso_8859-6 iso_8859-6:1987 iso-ir-127 arabic asmo-708 ecma-114 csisolatinarabic iso-8859-6-e "
        + "iso-8859-6-i csiso88596e csiso88596i"
    ),
    (
      "iso-8859-7", .iconv("ISO-8859-7"),
      "iso-8859-7 iso8859-7 iso88597 iso_8859-7 iso_8859-7:1987 iso-ir-126 greek greek8 ecma-118 elot_928 sun_eu_greek csisolatingreek"
    ),
    (
      "iso-8859-8", .iconv("ISO-8859-8"),
      "iso-8859-8 iso8859-8 iso88598 iso_8859-8 iso_8859-8:1988 iso-ir-138 hebrew visual csisolatinhebrew iso-8859-8-e csiso88598e"
    ),
    ("iso-8859-8-i", .iconv("ISO-8859-8"), "iso-8859-8-i logical csiso88598i"),
    ("iso-8859-10", .iconv("ISO-8859-10"), "iso-8859-10 iso8859-10 iso885910 iso-ir-157 latin6 l6 csisolatin6"),
    ("iso-8859-13", .iconv("ISO-8859-13"), "iso-8859-13 iso8859-13 iso885913"),
    ("iso-8859-14", .iconv("ISO-8859-14"), "iso-8859-14 iso8859-14 iso885914"),
    ("iso-8859-15", .iconv("ISO-8859-15"), "iso-8859-15 iso8859-15 iso885915 iso_8859-15 latin9 l9 csisolatin9"),
    ("iso-8859-16", .iconv("ISO-8859-16"), "iso-8859-16"),
    ("koi8-r", .iconv("KOI8-R"), "koi8-r koi8_r koi koi8 cskoi8r"),
    ("koi8-u", .iconv("KOI8-U"), "koi8-u koi8-ru"),
    ("macintosh", .iconv("MACINTOSH"), "macintosh mac x-mac-roman csmacintosh"),
    ("windows-874", .iconv("CP874"), "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
    ("windows-1250", .iconv("CP1250"), "windows-1250 cp1250 x-cp1250"),
    ("windows-1251", .iconv("CP1251"), "windows-1251 cp1251 x-cp1251"),
    ("windows-1253", .iconv("CP1253"), "windows-1253 cp1253 x-cp1253"),
    (
      "windows-1254", .iconv("CP1254"),
      "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 iso-ir-148 latin5 l5 csisolatin5"
    ),
    ("windows-1255", .iconv("CP1255"), "windows-1255 cp1255 x-cp1255"),
    ("windows-1256", .iconv("CP1256"), "windows-1256 cp1256 x-cp1256"),
    ("windows-1257", .iconv("CP1257"), "windows-1257 cp1257 x-cp1257"),
    ("windows-1258", .iconv("CP1258"), "windows-1258 cp1258 x-cp1258"),
    ("x-mac-cyrillic", .iconv("MAC-CYRILLIC"), "x-mac-cyrillic x-mac-ukrainian"),
    (
      "gbk", .iconv("GB18030"), "gbk x-gbk gb2312 gb_2312 gb_2312-80 iso-ir-58 chinese csgb2312 csiso58gb231280"
    ),
    ("gb18030", .iconv("GB18030"), "gb18030"),
    ("big5", .iconv("BIG5-HKSCS"), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
    ("euc-jp", .iconv("EUC-JP-MS"), "euc-jp x-euc-jp cseucpkdfmtjapanese"),
    ("iso-2022-jp", .iconv("ISO-2022-JP"), "iso-2022-jp csiso2022jp"),
    ("shift_jis", .iconv("CP932"), "shift_jis shift-jis sjis x-sjis ms932 ms_kanji windows-31j csshiftjis"),
    (
      "euc-kr", .iconv("UHC"),
      "euc-kr korean cseuckr iso-ir-149 ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 csksc56011987 windows-949"
    ),
  ]
}
