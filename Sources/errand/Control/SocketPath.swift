internal import Glibc

/// Where the daemon is expected.
enum SocketPath {
  static func resolve(_ arguments: Arguments) -> String {
    if let path = arguments.value("socket") { return path }
    if let path = Environment["ERRAND_SOCKET"], !path.isEmpty { return path }
    if let directory = Environment["XDG_RUNTIME_DIR"], !directory.isEmpty { return directory + "/errand.sock" }
    return getuid() == 0 ? "/run/errand.sock" : "/tmp/errand-\(getuid()).sock"
  }

  /// Why this user can't connect to a socket that is there, or may be; nil if nothing forbids it.
  static func denial(of path: String) -> Failure? {
    guard access(path, W_OK) != 0, errno == EACCES else { return nil }
    var status = stat()
    let reason =
      if stat(path, &status) != 0 {
        "it is in a directory that is closed to this user"
      } else if status.st_uid != geteuid() {
        "it belongs to another user, \(userName(status.st_uid))"
      } else {
        "its mode forbids it"
      }
    return Failure(
      .noDaemon, "the socket \(path) is not for this user: permission denied, \(reason)",
      hint: "start an errandd of your own, and say where it is with --socket or ERRAND_SOCKET", obstacle: .accessDenied)
  }

  private static func userName(_ uid: uid_t) -> String {
    getpwuid(uid).map { String(cString: $0.pointee.pw_name) } ?? "uid \(uid)"
  }
}
