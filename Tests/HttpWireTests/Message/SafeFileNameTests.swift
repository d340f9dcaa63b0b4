import HttpWire
import TestSupport
import Testing

struct SafeFileNameTests {
  @Test(arguments: [
    ("report.pdf", "report.pdf"), ("naïve Ünïcode 日本語.txt", "naïve Ünïcode 日本語.txt"), ("👩‍👩‍👧.png", "👩‍👩‍👧.png"), ("no extension", "no extension"),
    // Paths.
    ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("C:\\Windows\\system32\\a.dll", "a.dll"), ("..\\..\\a.txt", "a.txt"),
    ("a/b\\c", "c"),
    ("dir/", "dir"), ("a//", "a"), ("/", nil), ("\\", nil), ("..", nil), (".", nil), ("...", nil), ("../..", nil), ("a/..", nil), ("", nil),
    (" ", nil),
    ("x/\u{301}y", "\u{301}y"), ("x\\\u{301}y", "\u{301}y"), ("a/./b", "b"), ("file:///etc/passwd", "passwd"), ("..\u{0}/x", "x"),
    (".\u{0}.", nil),
    ("..%2f..%2fx", "_%2f..%2fx"),
    // Beginnings and ends.
    (".bashrc", "_bashrc"), ("..hidden", "_hidden"), (".\u{301}x", "_\u{301}x"), ("-rf", "_rf"), ("--output=x", "_output=x"),
    ("~root", "_root"),
    (" .profile ", "_profile"), ("-", "_"), ("name.", "name"), ("name. . .", "name"), ("\u{A0}x\u{2003}", "x"), ("a.txt ", "a.txt"),
    ("\u{200E}.x", "_x"),
    // Characters.
    ("a\r\nb.txt", "ab.txt"), ("a\u{0}b.txt", "ab.txt"), ("a\u{1B}[31mb", "a[31mb"), ("a\u{7F}\u{9B}b", "ab"), ("a:b", "a_b"),
    ("a<b>c|d?e*f\"g", "a_b_c_d_e_f_g"),
    ("invoice\u{202E}fdp.exe", "invoicefdp.exe"), ("a\u{2066}b\u{2069}", "ab"), ("\u{FEFF}a", "a"), ("a\u{FFFD}b", "a_b"),
    ("a\u{2028}b", "ab"), ("$(rm -rf x)", "$(rm -rf x)"),
    // Devices.
    ("CON", "_CON"), ("con.txt", "_con.txt"), ("Nul", "_Nul"), ("AUX.tar.gz", "_AUX.tar.gz"), ("prn .txt", "_prn .txt"), ("COM1", "_COM1"),
    ("lpt9.log", "_lpt9.log"),
    ("COM¹", "_COM¹"), ("CONIN$", "_CONIN$"), ("console", "console"), ("COM10", "COM10"), ("comx", "comx"), ("nul/", "_nul"),
    ("a.con", "a.con"),
  ]) func `what a peer proposes is made harmless`(name: String, safe: String?) {
    #expect(SafeFileName.make(name).map { Array($0.utf8) } == safe.map { Array($0.utf8) }, "\(name.debugDescription)")
    if let safe { #expect(SafeFileName.make(safe) == safe) }
  }

  @Test(arguments: [
    (String(repeating: "a", count: 255), 255, ""), (String(repeating: "a", count: 256), 255, ""),
    (String(repeating: "a", count: 300) + ".txt", 255, ".txt"),
    (String(repeating: "ä", count: 200) + ".txt", 254, ".txt"), (String(repeating: "日", count: 100) + ".jpeg", 254, ".jpeg"),
    (String(repeating: "x", count: 300) + ".tar.gz", 255, ".tar.gz"),
    (String(repeating: "x", count: 300) + "." + String(repeating: "y", count: 40), 255, "x"),
    ("a." + String(repeating: "y", count: 400), 255, "y"), (String(repeating: "👩‍👩‍👧", count: 20), 252, "👩‍👩‍👧"),
    (String(repeating: " a", count: 200) + "b", 255, "a"),
    ("e" + String(repeating: "\u{301}", count: 400) + ".txt", 255, ".txt"), (String(repeating: ".a", count: 300), 255, ".a"),
    (String(repeating: "x", count: 252) + ".tar.gz", 255, ".tar.gz"),
  ]) func `a long name is cut between characters, before its extension`(name: String, bytes: Int, ending: String) throws {
    let safe = try #require(SafeFileName.make(name))
    #expect(safe.utf8.count <= 255 && safe.utf8.count == bytes && safe.hasSuffix(ending) && isSafe(safe), "\(safe)")
  }

  @Test func `random names are safe afterwards`() {
    var generator = SeededGenerator(seed: 8)
    let special = Array("./\\-~: \u{0}\u{301}\u{202E}\u{FEFF}aCON123nul日👩‍👩‍👧\r\n\u{A0}".unicodeScalars)
    for _ in 0..<30_000 {
      var scalars = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...14, using: &generator) {
        scalars.append(special[Int.random(in: 0..<special.count, using: &generator)])
      }
      if generator.next() % 8 == 0 { scalars.append(contentsOf: String(repeating: "日x.", count: 90).unicodeScalars) }
      guard let name = SafeFileName.make(String(scalars)) else { continue }
      #expect(isSafe(name), "\(String(scalars).debugDescription) → \(name.debugDescription)")
    }
  }

  @Test(
    arguments: [
      ("attachment; filename=x.txt", "http://a/b/c.pdf", nil, "x.txt"), ("attachment; filename=\"../.\"", "http://a/b/c.pdf", nil, "c.pdf"),
      ("attachment", "http://a/b/c.pdf", "text/html", "c.pdf"), (nil, "http://a/b/c.pdf?x=/y/z.txt", nil, "c.pdf"),
      (nil, "http://a/b/n%C3%A4me%20x.txt", nil, "näme x.txt"), (nil, "http://a/b/%2e%2e%2fetc%2fpasswd", nil, "passwd"),
      (nil, "http://a/b/%2e%2e", "text/html", "download.html"), (nil, "http://a/b/", "text/html; charset=utf-8", "download.html"),
      (nil, "http://a", "application/json", "download.json"), (nil, "http://a/?x=1", "application/problem+json", "download.json"),
      (nil, "http://a/", "image/jpeg", "download.jpg"), (nil, "http://a/", "application/octet-stream", "download"),
      (nil, "http://a/", nil, "download"),
      (nil, "http://a/", "no type", "download"), (nil, "http://a/%FF%00.bin", nil, "_.bin"), (nil, "http://a/100%", nil, "100%"),
      (nil, "http://a/%5c..%5c", nil, "download"),
      (nil, "http://a/.htaccess", nil, "_htaccess"), (nil, "http://a/x#y", nil, "x"), ("", "http://a/x", nil, "x"),
      (nil, "http://a/", "image/svg+xml", "download.svg"),
      (nil, "http://a/", "application/atom+xml", "download.xml"), (nil, "http://a/", "text/xml", "download.xml"),
      (nil, "http://a/", "font/woff2", "download.woff2"),
    ] as [(String?, String, String?, String)])
  func `a name is suggested from header, URL or type`(disposition: String?, url: String, type: String?, name: String) throws {
    #expect(ContentDisposition.suggestedFileName(contentDisposition: disposition, url: try HttpUrl(url), contentType: type) == name)
    var headers = HttpHeaders()
    if let disposition { headers.append("content-disposition", disposition) }
    if let type { headers.append("content-type", type) }
    #expect(headers.suggestedFileName(url: try HttpUrl(url)) == name)
  }
}
