import EventLoop
import Glibc
import Hashing
import TestSupport
import Testing

@testable import Errand

/// Uploads to servers that are not ours.
@Suite(.timeLimit(.minutes(3))) struct RealReceiverTests {
  private func bytes(at path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw TestTimeout("fopen \(path): errno \(errno)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 262_144)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return bytes
  }

  enum Way: CaseIterable { case http1, http1Tls, http2, http2Tls }

  @Test(arguments: Way.allCases) func nginxStoresWhatWasSent(way: Way) async throws {
    let identity = try await TestCertificates.shared.identity(.localhost)
    let stored = try TemporaryDirectory()
    let server = try await NginxServer { ports in
      let listen =
        switch way {
        case .http1: ""
        case .http1Tls: "ssl"
        case .http2: "http2"
        case .http2Tls: "ssl http2"
        }
      return """
        server { listen 127.0.0.1:\(ports[0]) \(listen); ssl_certificate \(identity.chainFile); ssl_certificate_key \(identity.keyFile);
          root \(stored.path); client_max_body_size 0; location / { dav_methods PUT; } }
        """
    }
    defer { server.stop() }
    // nginx says no 100 over HTTP/2.
    try await tlsScene {
      $0.expectContinueWait = .milliseconds(50)
    } test: { client in
      let isSecure = way == .http1Tls || way == .http2Tls
      let origin = isSecure ? "https://localhost:\(server.port)" : "http://127.0.0.1:\(server.port)"
      for (index, kind) in UploadKind.allCases.enumerated() {
        for headers: HttpHeaders in [[:], ["Expect": "100-continue"]] {
          let upload = try Upload(kind, size: 3_000_000)
          let name = "\(index)-\(headers.count)"
          var request = HttpRequest.put("\(origin)/\(name)", upload, headers: headers)
          if way == .http2 { request.httpVersion = .http2 }
          let response = try await client.send(request)
          #expect(response.status == 201 && response.version == (way == .http2 || way == .http2Tls ? .http2 : .http11))
          upload.expect(try bytes(at: stored.file(name)))
          try await upload.expectLetGo()
        }
      }
      #expect(await client.stats().connectionsOpened == 1)
    }
  }

  @Test(arguments: Http2RealPeer.Program.nghttpds) func nghttpdGivesBackWhatWasSent(program: Http2RealPeer.Program) async throws {
    try await Http2RealPeer.with(program, options: ["--echo-upload"]) { peer in
      try await tlsScene { client in
        let delegate = RecordingDelegate()
        var uploads: [RequestHandle: Upload] = [:]
        for kind in UploadKind.allCases + UploadKind.allCases {
          let upload = try Upload(kind, size: 3_000_000)
          uploads[client.submit(peer.request("/x", method: .post, body: upload.body), delegate: delegate)] = upload
        }
        for outcome in try await delegate.outcomes.first(uploads.count) {
          let (response, upload) = (outcome.event.response, uploads[outcome.info.handle])
          try #require(upload).expect(try #require(response, "\(outcome.event)").body)
        }
        #expect(await client.stats().connectionsOpened == 1)
      }
    }
  }

  @Test func aServerThatRefusesALargeBodyEarlyIsHeard() async throws {
    let stored = try TemporaryDirectory()
    let server = try await NginxServer { ports in
      "server { listen 127.0.0.1:\(ports[0]); client_max_body_size 1k; root \(stored.path); location / { dav_methods PUT; } }"
    }
    defer { server.stop() }
    try await tlsScene { client in
      for kind in UploadKind.large {
        let upload = try Upload(kind, size: 3_000_000)
        let error = try await client.failure(.put("http://127.0.0.1:\(server.port)/x", upload))
        #expect(error.status == 413 || error.code == .connectionLost || error.code == .truncated, "\(kind): \(error)")
        try await upload.expectLetGo()
      }
    }
  }

  /// Answers a form with a line for each part: name, file name, type and the content's SHA-256.
  private static let formServer = """
    import cgi, hashlib, http.server, sys, warnings
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def log_message(self, *_): pass
        def do_POST(self):
            form = cgi.FieldStorage(fp=self.rfile, headers=self.headers, environ={"REQUEST_METHOD": "POST"}, keep_blank_values=True)
            lines = []
            for part in form.list:
                value = part.value if isinstance(part.value, bytes) else part.value.encode()
                words = (part.name, part.filename, part.headers.get("content-type"), len(value), hashlib.sha256(value).hexdigest())
                lines.append("|".join(map(str, words)))
            answer = "\\n".join(lines).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_address[1])
    server.serve_forever()
    """

  @Test func pythonReadsAFormWithFiles() async throws {
    let server = try await PythonPeer(Self.formServer)
    defer { server.stop() }
    try await tlsScene { client in
      let directory = try TemporaryDirectory()
      let large = pattern(5_000_000)
      let parts = [
        MultipartPart.value("plain", "v\r\nv"), .file("file", try directory.write("über \"x\".json", large)), .value("ü;=", ""),
        .file("empty", try directory.write("empty.txt", [])), .data("data", Array(0...255), filename: "d.bin"),
        .file("named", directory.file("empty.txt"), filename: "n.png", contentType: "x/y; z=1"),
      ]
      for body in [HttpBody.multipart(parts), .multipart(parts)] {
        let response = try await client.send(HttpRequest("http://127.0.0.1:\(server.port)/", body: body))
        let lines = response.text.split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        #expect(lines.map { $0[0] } == ["plain", "file", "ü;=", "empty", "data", "named"])
        #expect(lines.map { $0[1] } == ["None", "über %22x%22.json", "None", "empty.txt", "d.bin", "n.png"])
        #expect(lines.map { $0[2] } == ["None", "application/json", "None", "text/plain", "application/octet-stream", "x/y; z=1"])
        #expect(lines.map { $0[3] } == ["4", "5000000", "0", "0", "256", "0"])
        #expect(lines.map { $0[4] } == [Array("v\r\nv".utf8), large, [], [], Array(0...255), []].map(hex))
      }
      #expect(await client.stats().connectionsOpened == 1)
    }
  }

  private func hex(_ bytes: [UInt8]) -> String {
    HashAlgorithm.sha256.hash(bytes).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
