import HttpWire
import Testing

@Suite("Public suffixes")
struct PublicSuffixTests {
  @Test(
    "the registrable domain is the suffix and one label more",
    arguments: [
      ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("com", nil), ("co.uk", nil), ("example.co.uk", "example.co.uk"),
      ("a.example.co.uk", "example.co.uk"), ("github.io", nil), ("me.github.io", "me.github.io"), ("a.me.github.io", "me.github.io"),
      ("xn--55qx5d.cn", nil), ("公司.cn", nil), ("a.公司.cn", "a.xn--55qx5d.cn"), ("b.a.xn--55qx5d.cn", "a.xn--55qx5d.cn"), ("xn--p1ai", nil),
      ("пример.рф", "xn--e1afmkfd.xn--p1ai"), ("localhost", nil), ("a.localhost", "a.localhost"), ("b.a.localhost", "a.localhost"),
      ("intranet", nil),
      ("host.corp", "host.corp"), ("127.0.0.1", nil), ("1.2.3", nil), ("0x7f.1", nil), ("a.0x10", nil), ("::1", nil), ("2001:db8::1", nil),
      ("kawasaki.jp", nil),
      ("c.kawasaki.jp", nil), ("b.c.kawasaki.jp", "b.c.kawasaki.jp"), ("city.kawasaki.jp", "city.kawasaki.jp"),
      ("a.city.kawasaki.jp", "city.kawasaki.jp"),
      ("s3.amazonaws.com", nil), ("b.s3.amazonaws.com", "b.s3.amazonaws.com"), ("EXAMPLE.Co.Uk", "example.co.uk"),
      ("example.com.", "example.com"),
      (".example.com", "example.com"), ("com.", nil), ("", nil), (".", nil), ("a b.com", nil), ("exa\0mple.com", nil), ("☃.com", nil),
    ] as [(String, String?)]) func registrable(host: String, domain: String?)
  {
    #expect(PublicSuffixes.registrableDomain(of: host) == domain)
  }

  @Test(
    "a cookie for a public suffix is refused, and is for the host alone where the host is the suffix",
    arguments: [
      StoreCase("a=b; Domain=co.uk", "refused: public_suffix", from: "http://example.co.uk/"),
      StoreCase("a=b; Domain=co.uk", "a=b co.uk /", from: "http://co.uk/"),
      StoreCase("a=b; Domain=.CO.UK", "a=b co.uk /", from: "http://co.uk/"),
      StoreCase("a=b; Domain=uk", "refused: public_suffix", from: "http://co.uk/"),
      StoreCase("a=b; Domain=github.io", "refused: public_suffix", from: "http://me.github.io/"),
      StoreCase("a=b; Domain=me.github.io", "a=b .me.github.io /", from: "http://a.me.github.io/"),
      StoreCase("a=b; Domain=github.io", "a=b github.io /", from: "http://github.io/"),
      StoreCase("a=b; Domain=io", "refused: public_suffix", from: "http://me.github.io/"),
      StoreCase("a=b; Domain=com", "refused: public_suffix", from: "http://example.com/"),
      StoreCase("a=b; Domain=com", "a=b com /", from: "http://com/"),
      StoreCase("a=b; Domain=xn--55qx5d.cn", "refused: public_suffix", from: "http://a.公司.cn/"),
      StoreCase("a=b; Domain=a.xn--55qx5d.cn", "a=b .a.xn--55qx5d.cn /", from: "http://b.a.公司.cn/"),
      StoreCase("a=b; Domain=localhost", "a=b localhost /", from: "http://localhost:8080/"),
      StoreCase("a=b; Domain=intranet", "refused: public_suffix", from: "http://host.intranet/"),
      StoreCase("a=b; Domain=kawasaki.jp", "refused: public_suffix", from: "http://b.c.kawasaki.jp/"),
      StoreCase("a=b; Domain=c.kawasaki.jp", "refused: public_suffix", from: "http://b.c.kawasaki.jp/"),
      StoreCase("a=b; Domain=city.kawasaki.jp", "a=b .city.kawasaki.jp /", from: "http://a.city.kawasaki.jp/"),
      // Not listed itself, but above a suffix that the host is in.
      StoreCase("a=b; Domain=amazonaws.com", "refused: public_suffix", from: "http://b.s3.amazonaws.com/"),
      StoreCase("a=b; Domain=amazonaws.com", "a=b .amazonaws.com /", from: "http://aws.amazonaws.com/"),
    ]) func cookies(row: StoreCase) throws
  {
    #expect(try stored([row.field], from: row.url) == row.outcome)
  }

  @Test(
    "one site is one registrable domain, or one host where there is none, whatever scheme and port",
    arguments: [
      ("https://a.example.com/", "https://b.example.com:81/x", true), ("https://example.com/", "https://a.b.example.com/", true),
      ("http://example.com/", "https://www.example.com/", true), ("https://a.github.io/", "https://b.github.io/", false),
      ("https://a.co.uk/", "https://b.co.uk/", false), ("https://example.com/", "https://example.org/", false),
      ("http://127.0.0.1/", "http://127.0.0.1:81/", true), ("http://127.0.0.1/", "http://10.0.0.1/", false),
      ("http://localhost/", "http://localhost:1/", true),
      ("http://[::1]/", "http://[::1]:1/", true), ("https://github.io/", "https://a.github.io/", false),
      ("https://example.com./", "https://example.com/", true),
    ]) func sites(one: String, other: String, isSame: Bool) throws
  {
    #expect(try PublicSuffixes.isSameSite(HttpUrl(one), HttpUrl(other)) == isSame)
    #expect(try PublicSuffixes.isSameSite(HttpUrl(other), HttpUrl(one)) == isSame)
  }
}
