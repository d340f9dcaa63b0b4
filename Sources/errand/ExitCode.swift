/// What the process tells its caller. Where curl has a number for the same thing, it is curl's.
enum ExitCode: Int32, Sendable, CaseIterable {
  case ok = 0
  case failure = 1
  case usage = 2
  case noDaemon = 3
  case refused = 4
  case noSuchHandle = 5
  case nameNotResolved = 6
  case couldNotConnect = 7
  case httpStatus = 22
  case timeout = 28
  case tls = 35
  case tooManyRedirects = 47
  case connectionLost = 52
  case wrongContent = 65
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// Those of a command that runs until a signal ends it, or may.
  static let signals: [ExitCode] = [.hungUp, .interrupted, .terminated]

  var meaning: String {
    switch self {
    case .ok: "done"
    case .failure: "any other failure"
    case .usage: "the command line is wrong"
    case .noDaemon: "no daemon answers on the socket, or it is not for this user"
    case .refused: "the daemon refused; its problem is shown, with the field it is about"
    case .noSuchHandle: "no request has this handle"
    case .nameNotResolved: "the host name has no address"
    case .couldNotConnect: "could not connect to the host"
    case .httpStatus: "the server answered with a status of 400 or above"
    case .timeout: "a time limit ran out"
    case .tls: "TLS failed: the certificate was refused, or the handshake did not succeed; the message says why"
    case .tooManyRedirects: "sent on more often than --max-redirs allows, or in a circle"
    case .connectionLost: "the connection was lost, or what came is not a whole response"
    case .wrongContent: "the body is not JSON, has the wrong shape, or the service said no"
    case .hungUp: "ended by SIGHUP (the terminal is gone)"
    case .interrupted: "interrupted (Ctrl-C)"
    case .terminated: "ended by SIGTERM (kill, timeout)"
    }
  }

  /// For a failure's code, as the library and the daemon name it (`connect`, `http_status`, …).
  init(errorCode: String) {
    self =
      switch errorCode {
      case "invalid_request": .usage
      case "denied", "queue_full": .refused
      case "too_many_redirects": .tooManyRedirects
      case "dns": .nameNotResolved
      case "connect": .couldNotConnect
      case "tls": .tls
      case "timeout": .timeout
      case "http_status": .httpStatus
      case "connection_lost", "truncated", "malformed_response": .connectionLost
      case "not_json", "wrong_shape", "service": .wrongContent
      default: .failure
      }
  }
}

/// Why a command ends without success: what to tell the person, and the exit code.
struct Failure: Error {
  let code: ExitCode
  let message: String
  /// What to do about it.
  var hint: String?
  /// Why there is no handle, where a command can do without the daemon.
  var obstacle: Obstacle?

  enum Obstacle: Sendable {
    /// The socket is there, but not for this user.
    case accessDenied
    /// The daemon takes no body so long; it has accepted nothing.
    case tooLarge
  }

  init(_ code: ExitCode, _ message: String, hint: String? = nil, obstacle: Obstacle? = nil) {
    self.code = code
    self.message = message
    self.hint = hint
    self.obstacle = obstacle
  }

  static func usage(_ message: String) -> Failure { Failure(.usage, message) }
}
