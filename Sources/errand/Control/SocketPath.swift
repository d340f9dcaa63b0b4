internal import Glibc

/// Where the daemon is expected.
enum SocketPath {
  static func resolve(_ arguments: Arguments) -> String {
    if let path = arguments.value("socket") { return path }
    if let path = Environment["ERRAND_SOCKET"], !path.isEmpty { return path }
    if let directory = Environment["XDG_RUNTIME_DIR"], !directory.isEmpty { return directory + "/errand.sock" }
    return getuid() == 0 ? "/run/errand.sock" : "/tmp/errand-\(getuid()).sock"
  }
}
