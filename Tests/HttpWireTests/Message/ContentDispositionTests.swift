import TestSupport
import Testing

@testable import HttpWire

struct ContentDispositionTests {
  @Test(arguments: [
    // As RFC 6266 and RFC 8187 have it.
    ("attachment; filename=example.html", "example.html"), ("Attachment; FileName=\"example.html\"", "example.html"),
    ("INLINE; FILENAME= \"an example.html\"", "an example.html"), ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
    ("attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates", "€ rates"),
    ("attachment; filename*=utf-8''%e2%82%ac%20rates; filename=\"EURO rates\"", "€ rates"),
    ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"), ("attachment; filename*=UTF-8'de-DE'na%C3%AFve.txt", "naïve.txt"),
    ("attachment; filename=\"a \\\"quoted\\\" name.txt\"", "a \"quoted\" name.txt"),
    ("attachment; filename=\"semi;colon.txt\"", "semi;colon.txt"),
    ("attachment ;filename = x.txt ;size=3", "x.txt"), ("attachment; filename=\"\\\\\"", "\\"),
    ("form-data; name=\"f\"; filename=\"up.bin\"", "up.bin"),
    ("attachment; creation-date=\"Wed, 12 Feb 1997 16:29:51 -0500\"; filename=x.txt", "x.txt"),
    // As they are met.
    ("attachment; filename=foo bar.txt", "foo bar.txt"), ("attachment; filename=foo[1](2).html", "foo[1](2).html"),
    ("attachment; filename=\"unclosed.txt", "unclosed.txt"), ("attachment;filename=\"x.txt\";", "x.txt"),
    ("attachment;;;filename=x.txt", "x.txt"),
    ("filename=no-type.txt", "no-type.txt"), ("filename*=UTF-8''n%C3%A4.txt; size=1", "nä.txt"),
    ("attachment; filename=\"x.txt\"rubbish; a=b", "x.txt"),
    ("attachment; filename=\"C:\\dir\\file.txt\"", "C:\\dir\\file.txt"), ("attachment; filename=a.txt; filename=b.txt", "a.txt"),
    ("attachment; filename*=\"UTF-8''quoted%20.txt\"", "quoted .txt"), ("attachment; filename*=UTF-8''with space.txt", "with space.txt"),
    ("attachment; filename*=''plain%20.txt", "plain .txt"), ("attachment; filename*=gbk''%D6%D0%CE%C4.txt", "中文.txt"),
    ("attachment; filename=\"=?UTF-8?B?4oKsLnR4dA==?=\"", "€.txt"),
    ("attachment; filename=\"=?utf-8?q?=E2=82=AC_rates=2Etxt?=\"", "€ rates.txt"),
    ("attachment; filename=\"=?UTF-8?Q?a?= =?UTF-8?Q?b?= c\"", "ab c"), ("attachment; filename==?ISO-8859-1?Q?=E4.txt?=", "ä.txt"),
    ("attachment; filename=\"=?unheard-of?Q?a?=\"", "=?unheard-of?Q?a?="), ("attachment; filename=\"=?UTF-8?B?***?=\"", "=?UTF-8?B?***?="),
    ("attachment; filename=\"=?UTF-8?X?a?= =?\"", "=?UTF-8?X?a?= =?"), ("attachment; filename=\"=?\"", "=?"),
    ("attachment; filename=100%.txt", "100%.txt"),
    ("attachment; filename=a%20b.txt", "a%20b.txt"), ("attachment; filename=\"über.txt\"", "über.txt"), ("\"attachment\"; filename=x", "x"),
    ("attachment\t;\tfilename\t=\tx.txt\t", "x.txt"), ("attachment; filename=x=y.txt", "x=y.txt"),
    // Where the better parameter is broken the plain one holds.
    ("attachment; filename=plain.txt; filename*=UTF-8''%ZZ.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''%FF.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8''cut%e", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=star.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=unheard-of''x.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=UTF-8'x.txt", "plain.txt"),
    ("attachment; filename=plain.txt; filename*=", "plain.txt"), ("attachment; filename*=UTF-8''%; filename*=UTF-8''two.txt", "two.txt"),
    // None.
    ("attachment", nil), ("inline; name=x", nil), ("attachment; filename", nil), ("attachment; filename=", nil),
    ("attachment; filename=\"\"", nil),
    ("attachment; =x", nil), ("attachment; filename*0=a; filename*1=b", nil), ("attachment; filenames=x", nil),
    ("attachment; filename*=UTF-8''%ZZ", nil),
  ]) func `the file name is read as it is meant`(text: String, name: String?) throws {
    #expect(try #require(ContentDisposition(text)).fileName == name)
  }

  @Test(arguments: [
    ("attachment", "attachment", true), ("INLINE; filename=x", "inline", false), ("form-data; name=x", "form-data", true),
    ("x-other", "x-other", true), ("filename=x", "attachment", true), ("in line; filename=x", "attachment", true),
    ("inline", "inline", false),
  ]) func `the type is told, and anything but inline is an attachment`(text: String, type: String, isAttachment: Bool) throws {
    let disposition = try #require(ContentDisposition(text))
    #expect(disposition.type == type && disposition.isAttachment == isAttachment)
  }

  @Test(arguments: ["", " ", ";", " ; ;", "; =", ";x"]) func `nothing is nothing`(text: String) {
    #expect(ContentDisposition(text) == nil)
  }

  @Test(
    arguments: [
      (Array("attachment; filename=\"f".utf8) + [0xFC] + Array("r.txt\"".utf8), "für.txt"),
      (Array("attachment; filename=f\u{FC}r.txt".utf8), "für.txt"), ([0xFF, 0xFE], nil),
      (Array("attachment; filename=".utf8) + [0x80], "€"),
    ] as [([UInt8], String?)])
  func `bytes that are not UTF-8 are read as Latin-1`(value: [UInt8], name: String?) {
    var headers = HttpHeaders()
    Array("Content-Disposition".utf8).withUnsafeBytes { field in value.withUnsafeBytes { headers.append(name: field, value: $0) } }
    #expect(headers.contentDisposition?.fileName == name)
  }

  @Test func `random and damaged fields make nothing trap, and no unsafe name`() {
    var generator = SeededGenerator(seed: 7)
    let valid = [
      "attachment; filename=\"a \\\"b\\\" c.txt\"; filename*=UTF-8'en'%e2%82%ac%20rates; size=3",
      "inline; filename==?UTF-8?B?4oKsLnR4dA==?= =?a?q?=41?=",
      "attachment; filename=\"../../etc/passwd\\..\\con.txt\"", "form-data; name=x; filename*=shift_jis''%93%FA",
    ].map { Array($0.utf8) }
    for round in 0..<40_000 {
      let field = round % 4 == 0 ? generator.bytes(upTo: 60) : generator.mutation(of: valid[round % valid.count])
      guard let disposition = field.withBytes(ContentDisposition.init(peer:)), let name = disposition.safeFileName else { continue }
      #expect(isSafe(name), "\(name.debugDescription)")
    }
  }
}

/// What a name must never have.
func isSafe(_ name: String) -> Bool {
  let bytes = Array(name.utf8)
  return !bytes.isEmpty && bytes.count <= 255 && !bytes.contains { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 || $0 == 0x7F || $0 == 0x3A }
    && ![0x2E, 0x2D, 0x20].contains(bytes[0]) && ![0x2E, 0x20].contains(bytes[bytes.count - 1]) && SafeFileName.make(name) == name
}
