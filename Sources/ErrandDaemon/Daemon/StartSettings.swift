internal import EventLoop
import Glibc

/// What the configuration and the surroundings come to, checked: the same for a start and for `--check-config`.
struct StartSettings: Sendable {
  let token: [UInt8]?
  let listen: SocketAddress?
  let stateDirectory: String
  let socketPath: String
  let socket: SocketAddress
  let connecting: ConnectionRules

  /// Reads the token's file and those of TLS: not for the loop.
  init(_ configuration: DaemonConfiguration, environment: [String: String], hasTcp: Bool = false) throws(DaemonError) {
    token = try Token.load(configuration)
    listen = try configuration.listen.map(ListenAddress.parse)
    if listen != nil || hasTcp, token == nil {
      throw DaemonError("listen: needs a token (setting token or token_file), since other users and web pages can reach a port")
    }
    connecting = try ConnectionRules(configuration.client)
    if let given = configuration.stateDir {
      guard !given.isEmpty, !given.utf8.contains(0) else { throw DaemonError("state_dir: \(given.debugDescription) is no path") }
      stateDirectory = given
    } else {
      stateDirectory = try DefaultPaths.stateDirectory(environment: environment)
    }
    socketPath = configuration.socket ?? DefaultPaths.socket(environment: environment)
    do throws(SystemError) {
      socket = try .unix(socketPath)
    } catch {
      throw DaemonError("can't listen on the socket \(socketPath.debugDescription): \(error)")
    }
  }

  /// Whether the paths can be used, as far as can be told without making anything. Another daemon that runs there is no fault.
  func checkPaths() throws(DaemonError) {
    let parent = StartSettings.parent(of: socketPath)
    guard StartSettings.isDirectory(parent) else { throw DaemonError("socket: there is no directory \(parent)") }
    guard access(parent, W_OK | X_OK) == 0 else { throw DaemonError("socket: \(parent) can't be written") }
    if let kind = StartSettings.kind(of: socketPath), kind != S_IFSOCK {
      throw DaemonError("socket: \(socketPath) is there and is no socket")
    }
    var place = stateDirectory
    while StartSettings.kind(of: place) == nil, place != "/", place != "." { place = StartSettings.parent(of: place) }
    guard StartSettings.isDirectory(place) else { throw DaemonError("state_dir: \(place) is no directory") }
    guard access(place, W_OK | X_OK) == 0 else { throw DaemonError("state_dir: \(place) can't be written") }
  }

  private static func parent(of path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.last == "/" { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func isDirectory(_ path: String) -> Bool { kind(of: path) == S_IFDIR }
}
