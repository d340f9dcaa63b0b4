import HttpWire
import Testing

@Suite("The file of cookies")
struct CookieFileTests {
  private func read(_ text: String) -> CookieFile.Content { CookieFile.read(Array(text.utf8), at: cookieNow) }

  @Test(
    "lines as other programs write them",
    arguments: [
      ("example.com\tFALSE\t/\tFALSE\t0\ta\tb", "a=b example.com /"), (".example.com\tTRUE\t/\tFALSE\t0\ta\tb", "a=b .example.com /"),
      ("example.com\tTRUE\t/\tFALSE\t0\ta\tb", "a=b .example.com /"), (".example.com\tFALSE\t/\tFALSE\t0\ta\tb", "a=b example.com /"),
      ("example.com\tFALSE\t/x\tTRUE\t1780000060\ta\tb", "a=b example.com /x secure +60"),
      ("#HttpOnly_example.com\tFALSE\t/\tFALSE\t0\ta\tb", "a=b example.com / httponly"),
      ("#HttpOnly_.example.com\tTRUE\t/\tTRUE\t1780000001\ta\tb", "a=b .example.com / secure httponly +1"),
      ("example.com\ttrue\t/\tfalse\t0\ta\tb", "a=b .example.com /"), ("example.com\tFALSE\t/\tFALSE\t0\ta\tb\r", "a=b example.com /"),
      ("example.com\tFALSE\t/\tFALSE\t0\ta\t", "a= example.com /"), ("example.com\tFALSE\t/\tFALSE\t0\ta", "a= example.com /"),
      ("example.com\tFALSE\t/\tFALSE\t0\t\tb", "=b example.com /"), ("example.com\tFALSE\t/\tFALSE\t\ta\tb", "a=b example.com /"),
      ("example.com\tFALSE\t/\tFALSE\t1780000060.75\ta\tb", "a=b example.com / +60"),
      ("example.com\tFALSE\t/\tFALSE\t0.0\ta\tb", "a=b example.com /"),
      ("example.com\tFALSE\t/\tFALSE\t99999999999999999999\ta\tb", "a=b example.com / +251622300799"),
      ("Example.COM\tFALSE\t/\tFALSE\t0\ta\tb", "a=b example.com /"),
      ("bücher.example\tFALSE\t/\tFALSE\t0\ta\tb", "a=b xn--bcher-kva.example /"),
      ("example.com\tFALSE\tx\tFALSE\t0\ta\tb", "a=b example.com /"), ("example.com\tFALSE\t\tFALSE\t0\ta\tb", "a=b example.com /"),
      ("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb", "a=b 127.0.0.1 /"), (".127.0.0.1\tTRUE\t/\tFALSE\t0\ta\tb", "a=b 127.0.0.1 /"),
      ("::1\tFALSE\t/\tFALSE\t0\ta\tb", "a=b ::1 /"), ("localhost\tFALSE\t/\tFALSE\t0\ta\tb", "a=b localhost /"),
      ("co.uk\tTRUE\t/\tFALSE\t0\ta\tb", "a=b co.uk /"), ("example.com\tFALSE\t/\tFALSE\t0\ta\tb=c \"d\"", "a=b=c \"d\" example.com /"),
      ("example.com\tFALSE\t/\tFALSE\t0\ta\tb\tc", "a=b\tc example.com /"), ("example.com\tFALSE\t/\tFALSE\t0\ta\tü", "a=ü example.com /"),
      ("example.com\tFALSE\t/\tTRUE\t0\t__Host-a\tb", "__Host-a=b example.com / secure"), ("# Netscape HTTP Cookie File", ""), ("#", ""),
      ("", ""), (" \t", ""),
      ("#HttpOnl_example.com\tFALSE\t/\tFALSE\t0\ta\tb", ""), ("\u{FEFF}example.com\tFALSE\t/\tFALSE\t0\ta\tb", "a=b example.com /"),
    ]) func lines(line: String, cookie: String)
  {
    let content = read(line)
    #expect(content.cookies.map(\.inShort).joined() == cookie && content.refused == 0 && content.expired == 0)
    #expect(content.cookies.allSatisfy { $0.creation == cookieNow })
  }

  @Test(
    "a line that is no cookie is left out, counted, and told with its number but without what it says",
    arguments: [
      ("secret", "it has 1 fields, not 7"), ("example.com FALSE / FALSE 0 a secret", "it has 1 fields, not 7"),
      ("example.com\tFALSE\t/\tFALSE\tsecret", "it has 5 fields, not 7"),
      ("example.com\tsecret\t/\tFALSE\t0\ta\tb", "its second field is neither TRUE nor FALSE"),
      ("example.com\tFALSE\t/\t1\t0\ta\tsecret", "its fourth field is neither TRUE nor FALSE"),
      ("example.com\tFALSE\t/\tFALSE\t-1\ta\tsecret", "its time is no number"),
      ("example.com\tFALSE\t/\tFALSE\tsecret\ta\tb", "its time is no number"),
      ("example.com\tFALSE\t/\tFALSE\t1.x\ta\tsecret", "its time is no number"),
      ("\tFALSE\t/\tFALSE\t0\ta\tsecret", "its domain is no host name"),
      ("se cret\tFALSE\t/\tFALSE\t0\ta\tb", "its domain is no host name"),
      ("example.com\tFALSE\t/\tFALSE\t0\ta\tsecret;b", "its name, value or path cannot stand in a header field"),
      ("example.com\tFALSE\t/\tFALSE\t0\ta\tsecret\0", "it holds a control character"),
      ("example.com\tFALSE\t/\tFALSE\t0\t\t", "it has neither a name nor a value"),
      ("example.com\tFALSE\t/\tFALSE\t0\t__Host-a\tsecret", "it is not what the prefix of its name promises"),
    ]) func problems(line: String, reason: String)
  {
    let content = read("# comment\n\(line)\nexample.com\tFALSE\t/\tFALSE\t0\ta\tb\n")
    #expect(content.refused == 1 && content.cookies.map(\.inShort) == ["a=b example.com /"])
    #expect(content.problems.map(\.description) == ["line 2: \(reason)"])
  }

  @Test("of many bad lines all are counted and the first 20 told; cookies whose time is over are counted apart")
  func counts() {
    let content = read(String(repeating: "{\n", count: 1_000) + "example.com\tFALSE\t/\tFALSE\t1780000000\ta\tb\n")
    #expect(content.refused == 1_000 && content.problems.map(\.line) == Array(1...20) && content.expired == 1 && content.cookies.isEmpty)
  }

  @Test("what is written is what was read, line for line")
  func roundTrip() {
    let text = """
      # Netscape HTTP Cookie File
      # Domain, subdomains, path, secure, expires, name, value. Values may be secrets.

      .example.com\tTRUE\t/\tFALSE\t0\ta\tb
      #HttpOnly_example.com\tFALSE\t/x\tTRUE\t1780000060\tc\t"d e"
      #HttpOnly_.example.co.uk\tTRUE\t/\tFALSE\t1880000000\tü\tü
      127.0.0.1\tFALSE\t/\tFALSE\t0\t\tno name
      ::1\tFALSE\t/\tFALSE\t0\tno value\t

      """
    let cookies = read(text).cookies
    #expect(cookies.count == 5)
    #expect(String(decoding: CookieFile.write(cookies, includesSession: true, at: cookieNow), as: UTF8.self) == text)
  }

  @Test("cookies that end with the session are only written where asked for, and those whose time is over or that hold a tab never are")
  func leftOut() throws {
    func cookie(_ name: String, _ value: String = "v", path: String = "/", expires: Int64? = nil) -> Cookie {
      Cookie(name: name, value: value, domain: "example.com", path: path, expires: expires, creation: cookieNow)
    }
    let cookies = [
      cookie("session"), cookie("lasting", expires: cookieNow + 1), cookie("over", expires: cookieNow), cookie("a\tb"), cookie("c", "d\te"),
      cookie("f", path: "/\tx"), cookie("old", expires: -5),
    ]
    func written(_ includesSession: Bool) -> [String] {
      CookieFile.read(CookieFile.write(cookies, includesSession: includesSession, at: cookieNow), at: cookieNow).cookies.map(\.name)
    }
    #expect(written(true) == ["session", "lasting"] && written(false) == ["lasting"])
  }
}
