import EventLoop
import HttpServer
import HttpWire
import TestSupport
import Testing

/// The same requests by curl and by errand, and what the server saw of each.
///
/// Intended differences: curl sends `Accept: */*` where nothing else is asked for, and errand sends none; the User-Agent is each program's own, and so are
/// the boundary of a multipart form and the client nonce of Digest. Between cookies errand sends `; `, as RFC 6265bis wants it, and curl `;` where they
/// come from several options. The order of fields is not compared.
struct CommandCurlTests {
  struct Case: Sendable, CustomStringConvertible {
    /// Of errand: its verb.
    let verb: String
    /// For both.
    let options: [String]
    /// Of curl alone, such as the method.
    var curl: [String] = []
    var path = "/seen"

    var description: String { ([verb] + options + [path]).joined(separator: " ") }
  }

  static let cases: [Case] = [
    Case(verb: "get", options: []),
    Case(verb: "get", options: [], path: "/seen?a=b%20c&d"),
    Case(verb: "get", options: ["-H", "X-One: 1", "-H", "X-Two: 2", "-H", "Empty;"]),
    Case(verb: "get", options: ["--header", "Accept: text/csv"]),
    Case(verb: "get", options: ["-A", "me/1"]),
    Case(verb: "get", options: ["-e", "http://before.test/"]),
    Case(verb: "get", options: ["-r", "0-99"]),
    Case(verb: "get", options: ["--range", "-5"]),
    Case(verb: "get", options: ["-b", "a=b; c=d"]),
    Case(verb: "get", options: ["--cookie", "a=b", "--cookie", "c=d"]),
    Case(verb: "get", options: ["-u", "ann:secret"]),
    Case(verb: "get", options: ["--user", "ann:pass:word"]),
    Case(verb: "get", options: ["--oauth2-bearer", "token"]),
    Case(verb: "get", options: ["--user", "ann:secret", "--digest"], path: "/digest"),
    Case(verb: "get", options: ["--user", "ann:secret", "--anyauth"], path: "/digest"),
    Case(verb: "get", options: ["-L"], path: "/301"),
    Case(verb: "get", options: ["--location", "--max-redirs", "3"], path: "/307"),
    Case(verb: "get", options: [], path: "/301"),
    Case(verb: "get", options: ["-L", "-b", "own=1"], path: "/set"),
    Case(verb: "head", options: [], curl: ["-I"]),
    Case(verb: "get", options: ["--head"]),
    Case(verb: "delete", options: [], curl: ["-X", "DELETE"]),
    Case(verb: "post", options: ["-d", "a=b"]),
    Case(verb: "post", options: ["--data", "a=b", "--data", "c=d"]),
    Case(verb: "post", options: ["-d", "x", "-H", "Content-Type: text/plain"]),
    Case(verb: "post", options: ["--data-binary", "a\nb"]),
    Case(verb: "post", options: ["--data-raw", "@home"]),
    Case(verb: "post", options: ["--data-urlencode", "name=a b&c=ü"]),
    Case(verb: "post", options: ["--data-urlencode", "=a b", "-d", "plain"]),
    Case(verb: "post", options: ["--json", "{\"a\": 1}"]),
    Case(verb: "put", options: ["-d", "x"], curl: ["-X", "PUT"]),
    Case(verb: "patch", options: ["--json", "[]"], curl: ["-X", "PATCH"]),
    Case(verb: "post", options: ["-F", "a=b"]),
    Case(verb: "post", options: ["--form", "a=b", "--form", "c=d;type=text/csv"]),
    Case(verb: "post", options: ["-F", "f=@FILE"]),
    Case(verb: "post", options: ["-F", "f=@FILE;type=image/png;filename=other.png"]),
    Case(verb: "post", options: ["-F", "f=<FILE"]),
    Case(verb: "post", options: ["-F", "a=b;type=text/plain;charset=utf-8"]),
    Case(verb: "post", options: ["-F", "a=\"b;c\""]),
    Case(verb: "post", options: ["-F", "a=\"b;c\\\"d\";type=text/csv"]),
    Case(verb: "post", options: ["-F", "f=<FILE;type=text/csv;charset=latin1"]),
    Case(verb: "post", options: ["-F", "f=@\"FILE\""]),
    Case(verb: "post", options: ["-F", "f=@FILE;filename=\"a;b.csv\";type=text/csv"]),
    Case(verb: "post", options: ["--form-string", "a=@b;type=c"]),
    Case(verb: "post", options: ["-L", "-d", "a=b"], path: "/301"),
    Case(verb: "post", options: ["-L", "-d", "a=b"], path: "/303"),
    Case(verb: "post", options: ["-L", "-d", "a=b"], path: "/307"),
    Case(verb: "post", options: ["-L", "-d", "a=b"], path: "/308"),
  ]

  @Test(arguments: cases) func theServerSeesTheSame(_ one: Case) async throws {
    try await compare(one) { words in try await errand([words[0], "--direct"] + words.dropFirst()) }
  }

  @Test @LoopActor func theServerSeesTheSameThroughTheDaemon() async throws {
    let daemon = try await RunningDaemon()
    for one in CommandCurlTests.cases { try await compare(one) { words in try await daemon.errand(words) } }
    await daemon.stop()
  }

  private func compare(_ one: Case, _ errand: @LoopActor ([String]) async throws -> Ended) async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("file.txt", Array("in the file".utf8))
    let words = one.options.map { $0.replacing("FILE", with: file) }
    let byCurl = try await seen(one.path) { url in
      let ended = try await Command.run(["curl", "-sS", "--noproxy", "*"] + one.curl + words + [url])
      #expect(ended.status == 0, "curl: \(ended.text)")
    }
    let byErrand = try await seen(one.path) { url in
      let ended = try await errand([one.verb] + words + [url])
      #expect(ended.status == 0, "errand: \(ended.errors)")
    }
    #expect(byErrand == byCurl, "\(one)")
    withExtendedLifetime(directory) {}
  }

  /// What a server sees of one run, in a form in which the intended differences do not show.
  @LoopActor
  private func seen(_ path: String, _ run: @LoopActor (String) async throws -> Void) async throws -> [String] {
    let log = SeenLog()
    let server = HttpServer()
    server.register(log)
    let address = try server.listen(on: .loopback(port: 0))
    do {
      try await run("http://\(address)\(path)")
    } catch {
      await server.close(grace: .zero)
      throw error
    }
    await server.close(grace: .zero)
    return log.lines.map { $0.replacing("\(address)", with: "HOST") }
  }
}

/// Answers by path, and keeps what it saw.
@LoopActor
private final class SeenLog: ResponseHandler {
  private(set) var lines: [String] = []

  func decision(for head: RequestHead, path: String) -> HandlerDecision { .handles }

  func handle(_ request: ServerRequest, _ responder: Responder) {
    lines.append(SeenLog.text(request))
    switch request.path {
    case "/301", "/303", "/307", "/308":
      responder.text("elsewhere", status: Int(request.path.dropFirst()) ?? 302, headers: ["Location": "/seen"])
    case "/set":
      responder.text("", status: 302, headers: ["Location": "/seen", "Set-Cookie": "a=1"])
    case "/digest" where request.head.headers["Authorization"] == nil:
      responder.text("who?", status: 401, headers: ["WWW-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=MD5"])
    default: responder.text("here")
    }
  }

  private static func text(_ request: ServerRequest) -> String {
    var body = request.text
    var fields: [String] = []
    for (name, value) in request.head.headers {
      var value = value
      switch name.lowercased() {
      case "accept" where value == "*/*": continue
      case "user-agent" where ["curl/", "errand/", "errandd/"].contains(where: value.hasPrefix): continue
      case "cookie": value = value.replacing("; ", with: ";")
      case "content-type":
        if let mark = value.firstRange(of: "boundary=") {
          let boundary = value[mark.upperBound...].replacing("\"", with: "")
          value = value[..<mark.upperBound] + "BOUNDARY"
          body = body.replacing(boundary, with: "BOUNDARY")
        }
      case "content-length" where request.head.headers["Content-Type"]?.contains("boundary=") == true: value = "LENGTH"
      case "authorization" where value.hasPrefix("Digest "):
        value =
          "Digest "
          + value.dropFirst(7).split(separator: ",").map { $0.drop { $0 == " " } }
          .filter { !$0.hasPrefix("cnonce=") && !$0.hasPrefix("response=") }.map { $0.replacing("\"", with: "") }.sorted().joined(
            separator: ", ")
      default: break
      }
      fields.append("\(name.lowercased()): \(value)")
    }
    return "\(request.head.method) \(request.head.target)\n" + fields.sorted().joined(separator: "\n") + "\n\n" + body
  }
}
