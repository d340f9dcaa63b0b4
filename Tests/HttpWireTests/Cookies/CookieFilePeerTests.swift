import Glibc
import HttpWire
import TestSupport
import Testing

/// Sets the cookies that its arguments name for `/x/set`, and answers every other request with its Cookie field.
private let server = """
  import http.server, ssl, sys
  class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = "HTTP/1.1"
      def do_GET(self):
          body = self.headers.get("Cookie", "").encode("latin-1")
          self.send_response(200)
          if self.path == "/x/set":
              for field in sys.argv[2:]: self.send_header("Set-Cookie", field.encode().decode("latin-1"))
          self.send_header("Content-Length", str(len(body)))
          self.end_headers()
          self.wfile.write(body)
      def log_message(self, *_): pass
  listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
  if sys.argv[1]:
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain(*sys.argv[1].split(":"))
      listener.socket = context.wrap_socket(listener.socket, server_side=True)
  print("port", listener.server_port, flush=True)
  listener.serve_forever()
  """

@Suite("The file of cookies between us and other programs")
struct CookieFilePeerTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func curl(_ url: String, _ port: String, _ arguments: String...) async throws -> String {
    let result = try await Command.run(
      ["curl", "-sS", "-q", "-k", "--noproxy", "*", "--connect-to", "::127.0.0.1:\(port)", url] + arguments)
    #expect(result.status == 0, "\(result.text)")
    return result.text
  }

  @Test("we read what curl writes, and have stored the same ourselves", arguments: ["http", "https"])
  func fromCurl(scheme: String) async throws {
    let fields = [
      "plain=1", "domain=2; Domain=example.com; Path=/", "age=3; Max-Age=3600; HttpOnly", "quoted=\"4 5\"", "empty=",
      "other=6; Domain=example.org", "suffix=7; Domain=com",
      "expires=8; Expires=Fri, 01-Jan-2038 00:00:00 GMT; Path=/x", "over=9; Max-Age=0", "secure=10; Secure; SameSite=None",
      "path=11; Path=nowhere", "umlaut=ü",
      "__Host-a=12; Secure; Path=/", "__Secure-b=13", "cased=14; DOMAIN=.Example.Com; HTTPONLY",
    ]
    let identity = scheme == "https" ? try await PeerScripts.identity(CertificateSpec()) : ""
    let peer = try PeerProcess(["python3", "-c", server, identity] + fields)
    let port = try await peer.line(after: "port ")
    let before = Int64(time(nil))
    _ = try await curl("\(scheme)://www.example.com/x/set", port, "-c", directory.file("jar"))
    let after = Int64(time(nil))
    let content = CookieFile.read(Array(PeerProcess.text(of: directory.file("jar")).utf8), at: after)
    #expect(content.refused == 0, "\(content.problems)")

    var jar = CookieJarState()
    jar.store(setCookies: fields, from: try HttpUrl("\(scheme)://www.example.com/x/set"), at: after)
    func comparable(_ cookie: Cookie) -> String {
      var cookie = cookie
      // The file does not have the one, the other depends on the moment and on the version of curl, and paths that are none or left out
      // are curl's own.
      cookie.sameSite = .unspecified
      cookie.expires = cookie.expires.map { _ in cookieNow }
      if cookie.path.hasSuffix("x/") { cookie.path.removeLast() }
      if cookie.name == "path" { cookie.path = "/" }
      return cookie.inShort
    }
    #expect(content.cookies.map(comparable).sorted() == jar.all(at: after).map(comparable).sorted())
    let age = content.cookies.first { $0.name == "age" }?.expires ?? 0
    #expect(age >= before + 3_600 && age <= after + 3_600)
    #expect(content.cookies.contains { $0.isSecure } == (scheme == "https"))
  }

  @Test("curl sends what we write, to those that we would send it to", arguments: ["http", "https"])
  func toCurl(scheme: String) async throws {
    let now = Int64(time(nil))
    var jar = CookieJarState()
    func set(_ name: String, _ domain: String, hosts: Bool = false, path: String = "/", secure: Bool = false, expires: Int64? = nil) throws
    {
      let cookie = Cookie(
        name: name, value: "v \(name)=\"ü\"", domain: domain, isHostOnly: !hosts, path: path, expires: expires, isSecure: secure,
        isHttpOnly: name == "a",
        creation: now)
      try jar.set(cookie, at: now)
    }
    try set("a", "example.com")
    try set("b", "example.com", hosts: true, expires: now + 3_600)
    try set("c", "www.example.com", path: "/x")
    try set("d", "www.example.com", hosts: true, path: "/x/y", expires: now + 3_600)
    try set("e", "example.com", hosts: true, secure: true)
    try set("f", "example.org")
    try set("g", "127.0.0.1")
    try set("h", "localhost")
    try set("empty", "example.com", hosts: true)
    let file = try directory.write("jar", CookieFile.write(jar.all(at: now), includesSession: true, at: now))

    let identity = scheme == "https" ? try await PeerScripts.identity(CertificateSpec()) : ""
    let peer = try PeerProcess(["python3", "-c", server, identity])
    let port = try await peer.line(after: "port ")
    for place in [
      "example.com/", "www.example.com/x/y/z", "www.example.com/xy", "a.www.example.com/x", "example.org/", "example.net/", "127.0.0.1/",
      "localhost/",
    ] {
      let sent = try await curl("\(scheme)://\(place)", port, "-b", file)
      let ours = jar.header(for: try HttpUrl("\(scheme)://\(place)"), at: now) ?? ""
      #expect(sent.split(separator: "; ").sorted() == ours.split(separator: "; ").sorted(), "\(place)")
    }
  }

  @Test("Python reads what we write, and we read what it writes")
  func python() async throws {
    let now = Int64(time(nil))
    var jar = CookieJarState()
    jar.store(
      setCookies: ["a=1", "b=2; Domain=example.com; Path=/; Max-Age=3600", "c=3; Secure; HttpOnly", "=4", "d="],
      from: try HttpUrl("https://www.example.com/x/y"),
      at: now)
    let file = try directory.write("jar", CookieFile.write(jar.all(at: now), includesSession: true, at: now))
    let script = """
      import http.cookiejar, sys
      jar = http.cookiejar.MozillaCookieJar()
      jar.load(sys.argv[1], ignore_discard=True, ignore_expires=True)
      jar.save(sys.argv[2], ignore_discard=True, ignore_expires=True)
      """
    let result = try await Command.run("python3", "-c", script, file, directory.file("copy"))
    #expect(result.status == 0, "\(result.text)")
    let content = CookieFile.read(Array(PeerProcess.text(of: directory.file("copy")).utf8), at: now)
    #expect(content.refused == 0, "\(content.problems)")
    // It writes an empty value as a cookie without a name.
    func comparable(_ cookie: Cookie) -> String { cookie.name == "d" ? "=d" + cookie.inShort.dropFirst(2) : cookie.inShort }
    #expect(content.cookies.map(comparable).sorted() == jar.all(at: now).map(comparable).sorted())
  }
}
