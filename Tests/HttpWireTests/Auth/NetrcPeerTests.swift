import HttpWire
import TestSupport
import Testing

/// What curl takes from the same file.
@Suite("netrc files and curl", .oneAtATime)
struct NetrcPeerTests {
  /// The files that curl 7.88 reads differently are left out: it knows comments at the start of a line only, takes no value that
  /// begins with `#`, and has an opinion of its own on what is missing or there twice.
  static let files = [
    "machine a login b password c", "machine a\n\tlogin b\r\n\tpassword c\r\n", "MACHINE A Login B PASSWORD C",
    "machine a password c login b",
    "default login b password c", "machine x login y password z machine a login b password c", "machine a login b account x password c",
    "machine x login y password z default login b password c", "machine a login \"b c\" password \"d\\\"e\\\\f\"",
    "machine a login b password \"x\\q\"", "machine a login b password c#d",
    "# machine a login x password y\n  # more\nmachine a login b password c", "machine a login b password c\"d",
    "macdef init\ncd /pub\nmachine x login y\n\nmachine a login b password c", "machine a login b password c\nmacdef m\n  bin\n",
    "machine a login machine password login", "machine a login ü password ß",
    "machine a login 1 password 2 machine a login 3 password 4",
  ]

  @Test("curl sends what is found for a host")
  func curl() async throws {
    let server = try DigestServer.start()
    let port = try await server.line(after: "port ")
    let directory = try TemporaryDirectory()
    for (index, text) in Self.files.enumerated() {
      let path = try directory.write("netrc-\(index)", Array(text.utf8))
      let result = try await Command.run(
        "curl", "-s", "--noproxy", "*", "--max-time", "30", "--netrc-file", path, "--connect-to", "::127.0.0.1:\(port)", "http://a/\(index)"
      )
      #expect(result.status == 0)
      let theirs = try await server.line(after: "seen 401 GET /\(index) wrong ")
      let entry = try #require(try Netrc(text).entry(for: "a"))
      let ours = try BasicAuth.value(user: entry.login ?? "", password: entry.password ?? "")
      #expect(ours == theirs, "\(text)")
    }
  }
}
