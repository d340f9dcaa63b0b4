internal import EventLoop

/// `openssl s_server` on a loopback port of the system's choice. It answers each line with the same reversed (`-rev`), unless told otherwise.
public final class OpensslServer: Sendable {
  public let process: PeerProcess
  public let port: UInt16

  /// `options` come after those for the certificate, its chain and its key.
  public init(_ identity: TestIdentity, _ options: [String] = ["-rev"], v6: Bool = false) async throws {
    let chain = identity.intermediateFile.map { ["-cert_chain", $0] } ?? []
    process = try PeerProcess(
      ["openssl", "s_server", "-accept", v6 ? "[::1]:0" : "127.0.0.1:0", "-cert", identity.certificateFile, "-key", identity.keyFile]
        + chain + options, keepsInput: true)
    let address = try await process.line(after: "ACCEPT ")
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { throw TestTimeout("no port in \(address)") }
    self.port = port
  }

  public func stop() { process.end() }
}

/// A script for `python3` that prints the port it listens on as its first line: `port N`.
public final class PythonPeer: Sendable {
  public let process: PeerProcess
  public let port: UInt16

  /// `arguments` are `sys.argv[1:]` of the script.
  public init(_ script: String, _ arguments: String...) async throws {
    let directory = try TemporaryDirectory()
    process = try PeerProcess(["python3", "-u", try directory.write("peer.py", Array(script.utf8))] + arguments, in: directory)
    let line = try await process.line(after: "port ")
    guard let port = UInt16(line) else { throw TestTimeout("no port in \(line)") }
    self.port = port
  }

  public func stop() { process.end() }
}

/// nginx as one process, on loopback ports that were free a moment before.
public final class NginxServer: Sendable {
  public let process: PeerProcess
  public let ports: [UInt16]
  public var port: UInt16 { ports.first ?? 0 }
  public var directory: TemporaryDirectory { process.directory }

  /// `http` gives the content of the http block for the ports it shall listen on.
  public init(ports count: Int = 1, _ http: @Sendable (_ ports: [UInt16]) -> String) async throws {
    var lastOutput = ""
    for _ in 0..<5 {
      let ports = try (0..<count).map { _ in try NginxServer.freePort() }
      let directory = try TemporaryDirectory()
      let configuration = NginxServer.configuration(directory, http(ports))
      let process = try PeerProcess(
        ["nginx", "-p", directory.path, "-e", "stderr", "-c", try directory.write("nginx.conf", Array(configuration.utf8))], in: directory)
      // Its process number is written after the last of its sockets, among which may be Unix ones, is there.
      let isUp = { !PeerProcess.text(of: directory.file("pid")).isEmpty && ports.allSatisfy(NginxServer.accepts) }
      try await waitUntil("nginx") { process.hasEnded || isUp() }
      guard process.hasEnded else {
        (self.process, self.ports) = (process, ports)
        return
      }
      lastOutput = process.output
    }
    throw TestTimeout("nginx does not start: \(lastOutput)")
  }

  public func stop() { process.end() }

  private static func configuration(_ directory: TemporaryDirectory, _ http: String) -> String {
    """
    daemon off; master_process off; pid \(directory.file("pid")); error_log stderr warn; worker_rlimit_nofile 8192;
    events { worker_connections 4096; }
    http {
      access_log off; default_type text/plain; ssl_protocols TLSv1.2 TLSv1.3;
      client_body_temp_path \(directory.file("t1")); proxy_temp_path \(directory.file("t2")); fastcgi_temp_path \(directory.file("t3"));
      uwsgi_temp_path \(directory.file("t4")); scgi_temp_path \(directory.file("t5"));
      \(http)
    }

    """
  }

  private static func freePort() throws -> UInt16 {
    let listener = try Socket.listen(on: .loopback(port: 0))
    defer { Socket.close(listener) }
    return Socket.localAddress(listener)?.port ?? 0
  }

  private static func accepts(_ port: UInt16) -> Bool {
    guard let probe = try? Socket.open(for: .loopback(port: port)) else { return false }
    defer { Socket.close(probe) }
    return (try? Socket.connect(probe, to: .loopback(port: port))) == true || connected(probe)
  }

  private static func connected(_ descriptor: Int32) -> Bool {
    // On the loopback a connection is decided at once.
    Socket.remoteAddress(descriptor) != nil
  }
}
