import HttpWire
import Testing

@Suite("Set-Cookie fields and what a jar holds after them")
struct SetCookieTests {
  @Test(
    "names and values are what stands around the first =, without blanks",
    arguments: [
      StoreCase("a=b", "a=b example.com /"), StoreCase("a=", "a= example.com /"), StoreCase("a = b", "a=b example.com /"),
      StoreCase("  a=b  ", "a=b example.com /"), StoreCase("\ta\t=\tb\t", "a=b example.com /"), StoreCase("a=b=c", "a=b=c example.com /"),
      StoreCase("a==", "a== example.com /"), StoreCase("a=b c", "a=b c example.com /"), StoreCase("a b=c", "a b=c example.com /"),
      StoreCase("a\tb=c\td", "a\tb=c\td example.com /"), StoreCase("a=\"b\"", "a=\"b\" example.com /"),
      StoreCase("a=\"b;c\"", "a=\"b example.com /"), StoreCase("a=\" b \"", "a=\" b \" example.com /"),
      StoreCase("A=b", "A=b example.com /"),
      StoreCase("a=b,c=d", "a=b,c=d example.com /"), StoreCase("a,b=c", "a,b=c example.com /"), StoreCase("a=b;", "a=b example.com /"),
      StoreCase("a=b;;;", "a=b example.com /"), StoreCase("a=b; ; ;", "a=b example.com /"), StoreCase("a=b;c=d", "a=b example.com /"),
      StoreCase("a=b; =x", "a=b example.com /"), StoreCase("a=ü", "a=ü example.com /"), StoreCase("ü=a", "ü=a example.com /"),
      StoreCase("a=%20\\n", "a=%20\\n example.com /"), StoreCase("$a=b", "$a=b example.com /"),
      StoreCase("a=$Version=1", "a=$Version=1 example.com /"),
      StoreCase("[]{}()<>@:\\/?=1", "[]{}()<>@:\\/?=1 example.com /"), StoreCase("a=\u{80}", "a=\u{80} example.com /"),
      StoreCase("a=😀", "a=😀 example.com /"), StoreCase("Secure=1", "Secure=1 example.com /"), StoreCase("Path=/x", "Path=/x example.com /"),
      StoreCase("expires=Thu, 01 Jan 1970 00:00:00 GMT", "expires=Thu, 01 Jan 1970 00:00:00 GMT example.com /"),
    ]) func pairs(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "a cookie without = is a value without a name, and one with neither is none",
    arguments: [
      StoreCase("a", "=a example.com /"), StoreCase("=a", "=a example.com /"), StoreCase(" = a", "=a example.com /"),
      StoreCase("==a", "==a example.com /"),
      StoreCase("=a=b", "=a=b example.com /"), StoreCase("a; Path=/x", "=a example.com /x"), StoreCase("", "refused: empty"),
      StoreCase(" ", "refused: empty"), StoreCase("=", "refused: empty"), StoreCase(" = ", "refused: empty"),
      StoreCase(";", "refused: empty"),
      StoreCase("; Secure", "refused: empty"), StoreCase("=; Path=/x", "refused: empty"), StoreCase("\t", "refused: empty"),
      StoreCase("Secure", "=Secure example.com /"),
    ]) func nameless(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "a control character anywhere but a tab makes it none",
    arguments: [
      StoreCase("a=b\0", "refused: control"), StoreCase("\0", "refused: control"), StoreCase("a\u{1}=b", "refused: control"),
      StoreCase("a=b\r\n", "refused: control"), StoreCase("a=b\nX: y", "refused: control"), StoreCase("a=b\u{8}", "refused: control"),
      StoreCase("a=b\u{B}", "refused: control"), StoreCase("a=b\u{1F}c", "refused: control"), StoreCase("a=b\u{7F}", "refused: control"),
      StoreCase("a=b; Path=/\u{1}", "refused: control"), StoreCase("a=b; x=\r", "refused: control"),
      StoreCase("a=b; Secure\u{0}", "refused: control"),
      StoreCase("a=b;\tPath=/x", "a=b example.com /x"),
    ]) func controls(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "attributes count in any case and order, the last of a kind wins, and unknown ones do not matter",
    arguments: [
      StoreCase("a=b; path=/x", "a=b example.com /x"), StoreCase("a=b; PATH=/x", "a=b example.com /x"),
      StoreCase("a=b;path=/x", "a=b example.com /x"),
      StoreCase("a=b; Path = /x ", "a=b example.com /x"), StoreCase("a=b; Path=/x; Path=/y", "a=b example.com /y"),
      StoreCase("a=b; HttpOnly", "a=b example.com / httponly"), StoreCase("a=b; httponly=false", "a=b example.com / httponly"),
      StoreCase("a=b; HTTPONLY; path=/x", "a=b example.com /x httponly"), StoreCase("a=b; Http-Only", "a=b example.com /"),
      StoreCase("a=b; foo=bar; Path=/x; baz", "a=b example.com /x"), StoreCase("a=b; Version=1; Comment=x; Path=/y", "a=b example.com /y"),
      StoreCase("a=b; Priority=High; Partitioned", "a=b example.com /"), StoreCase("a=b; Path=/x, Secure", "a=b example.com /x, Secure"),
      StoreCase("a=b; SameSite=Strict", "a=b example.com / strict"), StoreCase("a=b; samesite=LAX", "a=b example.com / lax"),
      StoreCase("a=b; SameSite=lax; SameSite=strict", "a=b example.com / strict"),
      StoreCase("a=b; SameSite=strict; SameSite=what", "a=b example.com /"),
      StoreCase("a=b; SameSite", "a=b example.com /"), StoreCase("a=b; SameSite=", "a=b example.com /"),
      StoreCase("a=b; SameSite=None; Secure", "a=b example.com / secure none", from: "https://example.com/"),
      StoreCase("a=b; SameSite=None", "refused: cross_site_insecure", from: "https://example.com/"),
      StoreCase("a=b; SameSite=None; SameSite=Lax", "a=b example.com / lax"),
      StoreCase("a=b; Secure", "a=b example.com / secure", from: "https://example.com/"),
      StoreCase("a=b; secure=no", "a=b example.com / secure", from: "https://example.com/"),
      StoreCase("a=b; SECURE ;", "a=b example.com / secure", from: "https://example.com:8443/"),
      StoreCase("a=b; Secure", "refused: insecure_source"), StoreCase("a=b; Secure", "refused: insecure_source", from: "http://127.0.0.1/"),
      StoreCase("a=b; Secure", "refused: insecure_source", from: "http://localhost:8080/"), StoreCase("a=b; Secured", "a=b example.com /"),
    ]) func attributes(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "Max-Age comes before Expires, and no cookie lives longer than 400 days",
    arguments: [
      StoreCase("a=b; Max-Age=60", "a=b example.com / +60"), StoreCase("a=b; max-age=1", "a=b example.com / +1"),
      StoreCase("a=b; Max-Age=0", ""),
      StoreCase("a=b; Max-Age=-1", ""), StoreCase("a=b; Max-Age=-99999999999999999999", ""),
      StoreCase("a=b; Max-Age=", "a=b example.com /"),
      StoreCase("a=b; Max-Age", "a=b example.com /"), StoreCase("a=b; Max-Age=-", "a=b example.com /"),
      StoreCase("a=b; Max-Age=+60", "a=b example.com /"),
      StoreCase("a=b; Max-Age=60s", "a=b example.com /"), StoreCase("a=b; Max-Age=1.5", "a=b example.com /"),
      StoreCase("a=b; Max-Age=\"60\"", "a=b example.com /"),
      StoreCase("a=b; Max-Age=060", "a=b example.com / +60"), StoreCase("a=b; Max-Age=60; Max-Age=90", "a=b example.com / +90"),
      StoreCase("a=b; Max-Age=60; Max-Age=x", "a=b example.com / +60"), StoreCase("a=b; Max-Age=34560000", "a=b example.com / +34560000"),
      StoreCase("a=b; Max-Age=34560001", "a=b example.com / +34560000"),
      StoreCase("a=b; Max-Age=99999999999999999999999999", "a=b example.com / +34560000"),
      StoreCase("a=b; Expires=Thu, 28 May 2026 20:27:40 GMT", "a=b example.com / +60"),
      StoreCase("a=b; expires=Thu, 28-May-26 20:27:40 GMT", "a=b example.com / +60"),
      StoreCase("a=b; Expires=Thu May 28 20:27:40 2026", "a=b example.com / +60"),
      StoreCase("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""),
      StoreCase("a=b; Expires=Wed, 01 Jan 1800 00:00:00 GMT", ""), StoreCase("a=b; Expires=soon", "a=b example.com /"),
      StoreCase("a=b; Expires=", "a=b example.com /"), StoreCase("a=b; Expires=0", "a=b example.com /"),
      StoreCase("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "a=b example.com / +34560000"),
      StoreCase("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", "a=b example.com / +60"),
      StoreCase("a=b; Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT", ""),
      StoreCase("a=b; Max-Age=x; Expires=Thu, 28 May 2026 20:27:40 GMT", "a=b example.com / +60"),
      StoreCase("a=b; Expires=Thu, 28 May 2026 20:27:40 GMT; Expires=Thu, 28 May 2026 20:27:41 GMT", "a=b example.com / +61"),
      StoreCase("a=b; Expires=Thu, 28 May 2026 20:27:40 GMT; Expires=never", "a=b example.com / +60"),
      StoreCase("a=b; Expires=Thu, 28 May 2026 20:26:40 GMT", ""),
      StoreCase("a=b; Expires=Thu, 28 May 2026 20:26:41 GMT", "a=b example.com / +1"),
    ]) func lifetimes(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "Domain names the host or one that the host is in, below its public suffix",
    arguments: [
      StoreCase("a=b; Domain=example.com", "a=b .example.com /"), StoreCase("a=b; Domain=.example.com", "a=b .example.com /"),
      StoreCase("a=b; domain=EXAMPLE.com", "a=b .example.com /"), StoreCase("a=b; Domain=..example.com", "refused: foreign_domain"),
      StoreCase("a=b; Domain=example.com.", "refused: foreign_domain"), StoreCase("a=b; Domain=", "a=b example.com /"),
      StoreCase("a=b; Domain", "a=b example.com /"), StoreCase("a=b; Domain=.", "a=b example.com /"),
      StoreCase("a=b; Domain=..", "refused: foreign_domain"),
      StoreCase("a=b; Domain=example.org; Domain=example.com", "a=b .example.com /"),
      StoreCase("a=b; Domain=example.com; Domain=example.org", "refused: foreign_domain"),
      StoreCase("a=b; Domain=example.org; Domain=", "a=b example.com /"),
      StoreCase("a=b; Domain=www.example.com", "refused: foreign_domain"),
      StoreCase("a=b; Domain=ample.com", "refused: foreign_domain"), StoreCase("a=b; Domain=xexample.com", "refused: foreign_domain"),
      StoreCase("a=b; Domain=com", "refused: public_suffix"), StoreCase("a=b; Domain=.com", "refused: public_suffix"),
      StoreCase("a=b; Domain=example.com:80", "refused: foreign_domain"), StoreCase("a=b; Domain=*.example.com", "refused: foreign_domain"),
      StoreCase("a=b; Domain=\"example.com\"", "refused: foreign_domain"),
      StoreCase("a=b; Domain=http://example.com", "refused: foreign_domain"),
      StoreCase("a=b; Domain=bücher.example", "refused: invalid_domain", from: "http://bücher.example/"),
      StoreCase("a=b; Domain=xn--bcher-kva.example", "a=b .xn--bcher-kva.example /", from: "http://bücher.example/"),
      StoreCase("a=b; Domain=b.example.com", "a=b .b.example.com /", from: "http://a.b.example.com/"),
      StoreCase("a=b; Domain=example.com", "a=b .example.com /", from: "http://a.b.example.com/"),
      StoreCase("a=b; Domain=c.example.com", "refused: foreign_domain", from: "http://a.b.example.com/"),
      StoreCase("a=b", "a=b a.b.example.com /", from: "http://A.B.Example.com:81/"),
      StoreCase("a=b", "a=b example.com /", from: "http://example.com./"),
      StoreCase("a=b; Domain=example.com", "a=b .example.com /", from: "http://www.example.com./"),
      StoreCase("a=b; Domain=com", "refused: public_suffix", from: "http://www.example.com./"),
      StoreCase("a=b", "a=b 127.0.0.1 /", from: "http://127.0.0.1/"),
      StoreCase("a=b; Domain=127.0.0.1", "a=b 127.0.0.1 /", from: "http://127.0.0.1/"),
      StoreCase("a=b; Domain=0.0.1", "refused: foreign_domain", from: "http://127.0.0.1/"),
      StoreCase("a=b; Domain=1", "refused: foreign_domain", from: "http://127.0.0.1/"),
      StoreCase("a=b; Domain=0x1", "refused: foreign_domain", from: "http://127.0.0x1/"),
      StoreCase("a=b", "a=b ::1 /", from: "http://[::1]/"), StoreCase("a=b; Domain=::1", "a=b ::1 /", from: "http://[::1]/"),
      StoreCase("a=b; Domain=1", "refused: foreign_domain", from: "http://[::1]/"),
      StoreCase("a=b; Domain=127.0.0.1", "refused: foreign_domain", from: "http://x.127.0.0.1/"),
      StoreCase("a=b; Domain=localhost", "a=b localhost /", from: "http://localhost/"),
      StoreCase("a=b; Domain=localhost", "refused: public_suffix", from: "http://a.localhost/"),
    ]) func domains(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "Path is taken as it is if it begins with a slash, and is otherwise that of the request up to its last slash",
    arguments: [
      StoreCase("a=b; Path=/", "a=b example.com /", from: "http://example.com/x/y"),
      StoreCase("a=b", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b", "a=b example.com /x", from: "http://example.com/x/"),
      StoreCase("a=b", "a=b example.com /", from: "http://example.com/x"),
      StoreCase("a=b", "a=b example.com /", from: "http://example.com"),
      StoreCase("a=b", "a=b example.com /", from: "http://example.com?x=/y/z"),
      StoreCase("a=b", "a=b example.com /x", from: "http://example.com/x/y?q=/z/w"),
      StoreCase("a=b", "a=b example.com /x", from: "http://example.com/x/y#/z/w"),
      StoreCase("a=b", "a=b example.com /x/", from: "http://example.com/x//y"),
      StoreCase("a=b", "a=b example.com /", from: "http://example.com//"),
      StoreCase("a=b", "a=b example.com /x/..", from: "http://example.com/x/../y"),
      StoreCase("a=b", "a=b example.com /%2F", from: "http://example.com/%2F/y"),
      StoreCase("a=b; Path=", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b; Path", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b; Path=z", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b; Path=\"/z\"", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b; Path=/z; Path=", "a=b example.com /x", from: "http://example.com/x/y"),
      StoreCase("a=b; Path=/z", "a=b example.com /z", from: "http://example.com/x/y"), StoreCase("a=b; Path=/z/", "a=b example.com /z/"),
      StoreCase("a=b; Path=/Z", "a=b example.com /Z"), StoreCase("a=b; Path=/x y", "a=b example.com /x y"),
      StoreCase("a=b; Path=//", "a=b example.com //"),
      StoreCase("a=b; Path=/x?y", "a=b example.com /x?y"), StoreCase("a=b; Path=/x=y", "a=b example.com /x=y"),
      StoreCase("a=b; Path=/ü", "a=b example.com /ü"),
    ]) func paths(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  private static func times(_ count: Int, _ text: String = "x") -> String { String(repeating: text, count: count) }

  @Test(
    "name and value are up to 4,096 bytes, and an attribute over 1,024 is not there",
    arguments: [
      StoreCase("a=\(times(4_095))", "a=\(times(4_095)) example.com /"), StoreCase("a=\(times(4_096))", "refused: too_large"),
      StoreCase("\(times(4_096))=", "\(times(4_096))= example.com /"), StoreCase("\(times(4_097))=", "refused: too_large"),
      StoreCase(times(4_096), "=\(times(4_096)) example.com /"), StoreCase(times(4_097), "refused: too_large"),
      StoreCase("\(times(2_048))=\(times(2_048))", "\(times(2_048))=\(times(2_048)) example.com /"),
      StoreCase("\(times(2_048))=\(times(2_049))", "refused: too_large"), StoreCase("a=\(times(2_048, "ü"))", "refused: too_large"),
      StoreCase("a=\(times(4_095)); Path=/x", "a=\(times(4_095)) example.com /x"),
      StoreCase(" a = \(times(4_095)) ", "a=\(times(4_095)) example.com /"),
      StoreCase("a=b; Path=/\(times(1_023))", "a=b example.com /\(times(1_023))"),
      StoreCase("a=b; Path=/\(times(1_024))", "a=b example.com /"),
      StoreCase("a=b; Path=/x; Path=/\(times(1_024))", "a=b example.com /x"), StoreCase("a=b; Domain=\(times(1_025))", "a=b example.com /"),
      StoreCase("a=b; Domain=\(times(1_024))", "refused: foreign_domain"),
      StoreCase("a=b; Max-Age=\(times(1_025, "0"))", "a=b example.com /"),
      StoreCase("a=b; Max-Age=\(times(1_023, "0"))9", "a=b example.com / +9"),
      StoreCase("a=b; Secure=\(times(1_025))", "a=b example.com /", from: "https://example.com/"),
      StoreCase("a=b; HttpOnly=\(times(1_025)); Path=/x", "a=b example.com /x"),
      StoreCase("a=b; \(times(9_000))=c; Path=/x", "a=b example.com /x"),
    ]) func lengths(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }
}
