import Glibc

/// Where things are if nobody says otherwise.
public enum DefaultPaths {
  /// `ERRAND_SOCKET`; else `errand.sock` in `XDG_RUNTIME_DIR`; else in `/run` for root and in `/tmp` with the user's number for others.
  public static func socket(environment: [String: String], uid: UInt32? = nil) -> String {
    if let path = environment["ERRAND_SOCKET"], !path.isEmpty { return path }
    if let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty { return directory + "/errand.sock" }
    let uid = uid ?? geteuid()
    return uid == 0 ? "/run/errand.sock" : "/tmp/errand-\(uid).sock"
  }

  /// `/var/lib/errand` for root; else `errand` in `XDG_STATE_HOME` or `~/.local/state`.
  public static func stateDirectory(environment: [String: String], uid: UInt32? = nil) throws(DaemonError) -> String {
    if uid ?? geteuid() == 0 { return "/var/lib/errand" }
    if let directory = environment["XDG_STATE_HOME"], !directory.isEmpty { return directory + "/errand" }
    guard let home = environment["HOME"], !home.isEmpty else {
      throw DaemonError("neither XDG_STATE_HOME nor HOME is set: say where the state is kept with --state-dir")
    }
    return home + "/.local/state/errand"
  }

  /// The process's environment.
  public static func environment() -> [String: String] {
    var variables: [String: String] = [:]
    for name in ["ERRAND_SOCKET", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME"] {
      if let value = getenv(name) { variables[name] = String(cString: value) }
    }
    return variables
  }
}
