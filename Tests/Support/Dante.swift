internal import Glibc

/// Dante, a SOCKS proxy, on loopback. It does not allow connections to port 1.
public enum Dante {
  /// Runs `body` beside one, given its port. With `login` it lets in nobody but that user.
  ///
  /// It looks users up in the system's own files, so with `login` it gets others in a mount namespace of its own: see ``takesLogins``. It must
  /// be root, or think so in a user namespace.
  public static func with<Value>(
    isolation: isolated (any Actor)? = #isolation, login: (user: String, password: String)? = nil, _ body: (UInt16) async throws -> Value
  ) async throws -> Value {
    let directory = try TemporaryDirectory()
    var binds = ""
    if let login {
      let digest = try await Command.run("openssl", "passwd", "-6", "-salt", "errand", login.password).text.split(separator: "\n")[0]
      let passwd = "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n\(login.user):x:4711:65534::/:/bin/false\n"
      try directory.write("passwd", Array(passwd.utf8))
      try directory.write("shadow", Array("\(login.user):\(digest):19000:0:99999:7:::\n".utf8))
      for name in ["passwd", "shadow"] { binds += "mount --bind \(directory.file(name)) /etc/\(name) && " }
    }
    let method = login == nil ? "none" : "username"
    return try await PeerProcess.with(
      in: directory,
      { port in
        let lines = [
          "logoutput: stderr", "internal: 127.0.0.1 port = \(port)", "external.protocol: ipv4 ipv6", "external: lo",
          "socksmethod: \(method)",
          "clientmethod: none", "user.privileged: root", "user.unprivileged: root", "client pass { from: 0/0 to: 0/0 }",
          "socks block { from: 0/0 to: 0/0 port = 1 }", "socks pass { from: 0/0 to: 0/0 command: connect }",
        ]
        let path = try directory.write("danted.conf", Array((lines.joined(separator: "\n") + "\n").utf8))
        let run = ["sh", "-c", "\(binds)PATH=$PATH:/usr/sbin exec danted -f \(path)"]
        return (geteuid() == 0 && login == nil ? [] : namespaces) + run
      }, body)
  }

  private static let namespaces = ["unshare", geteuid() == 0 ? "-mp" : "-rmp", "--fork", "--kill-child"]

  /// Whether this machine lets a test have a mount namespace, without which ``with(isolation:login:_:)`` can't let anybody in by a password.
  public static func takesLogins() async throws -> Bool {
    try await Command.run(namespaces + ["mount", "--bind", "/etc/passwd", "/etc/passwd"]).status == 0
  }
}
