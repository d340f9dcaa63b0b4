/// tinyproxy, an HTTP proxy, on loopback.
public enum Tinyproxy {
  /// Runs `body` beside one, given its port. `settings` are further lines of its configuration, such as `BasicAuth user password` or
  /// `ConnectPort 443`, which forbids CONNECT to others.
  public static func with<Value>(
    isolation: isolated (any Actor)? = #isolation, _ settings: [String] = [], _ body: (UInt16) async throws -> Value
  ) async throws -> Value {
    let directory = try TemporaryDirectory()
    return try await PeerProcess.with(
      in: directory,
      { port in
        let lines = ["Port \(port)", "Listen 127.0.0.1", "Timeout 120", "MaxClients 200", "LogLevel Info"] + settings
        let path = try directory.write("tinyproxy.conf", Array((lines.joined(separator: "\n") + "\n").utf8))
        return ["tinyproxy", "-d", "-c", path]
      }, body)
  }
}
