/// The command line of `errandd`: each option stands above the setting of the same name.
public struct DaemonOptions: Sendable, Equatable {
  public var configPath: String?
  public var stateDir: String?
  public var socket: String?
  public var listen: String?
  public var logFormat: String?
  public var logLevel: String?
  public var checksConfig = false
  public var describesMetrics = false
  public var showsHelp = false
  public var showsVersion = false

  public init() {}

  /// Reads the arguments after the program's name.
  public init(_ arguments: [String]) throws(DaemonError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      var name = argument
      var value: String?
      if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
        name = String(argument[..<equals])
        value = String(argument[argument.index(after: equals)...])
      }
      func required() throws(DaemonError) -> String {
        if let value { return value }
        guard let next = rest.popFirst() else { throw DaemonError("\(name) needs a value; see errandd --help") }
        return next
      }
      switch name {
      case "--config": configPath = try required()
      case "--state-dir": stateDir = try required()
      case "--socket": socket = try required()
      case "--listen": listen = try required()
      case "--log-format": logFormat = try required()
      case "--log-level": logLevel = try required()
      case "--check-config": checksConfig = true
      case "--describe-metrics": describesMetrics = true
      case "--help", "-h": showsHelp = true
      case "--version": showsVersion = true
      default: throw DaemonError("\(argument) is not an option of errandd; see errandd --help")
      }
      if value != nil, ["--check-config", "--describe-metrics", "--help", "--version"].contains(name) {
        throw DaemonError("\(name) takes no value")
      }
    }
  }

  /// The configuration that the options name, with the options above it. Reads the file: not for the loop.
  public func configuration() throws(DaemonError) -> DaemonConfiguration {
    var configuration = try configPath.map(ConfigurationFile.load) ?? DaemonConfiguration()
    if let stateDir { configuration.stateDir = stateDir }
    if let socket { configuration.socket = socket }
    if let listen { configuration.listen = listen }
    if let logFormat {
      guard LogFormat(rawValue: logFormat) != nil else { throw DaemonError("--log-format must be logfmt or json") }
      configuration.log.format = logFormat
    }
    if let logLevel {
      guard LogLevel(name: logLevel) != nil else { throw DaemonError("--log-level must be debug, info, warning or error") }
      configuration.log.level = logLevel
    }
    return configuration
  }

  public static let help = """
    errandd \(Daemon.version): runs HTTP requests for other programs and brings each outcome to the delegate they name.

    usage: errandd [--config FILE] [--state-dir DIR] [--socket PATH] [--listen HOST:PORT]

      --config FILE         settings (JSON5); config/errandd.json5 explains them all. Without it the defaults hold
      --state-dir DIR       what outlives the daemon (default: $XDG_STATE_HOME/errand, ~/.local/state/errand; root: /var/lib/errand)
      --socket PATH         the control socket (default: $ERRAND_SOCKET, $XDG_RUNTIME_DIR/errand.sock, /run/errand.sock for root,
                            /tmp/errand-UID.sock)
      --listen HOST:PORT    listen on a loopback address, too; needs a token in the configuration
      --log-format FORMAT   logfmt or json, to standard error
      --log-level LEVEL     debug, info, warning or error
      --check-config        check the configuration, with the options given here above it, say what is wrong, and end (0 or 2)
      --describe-metrics    show what GET /metrics gives, as a page in Markdown
      --version             show the version

    SIGHUP reads the configuration again, SIGUSR1 opens the log's file anew. SIGTERM and SIGINT take no more requests and let those under way end; a second one
    stops at once. The API describes itself: curl --unix-socket PATH http://errand/

    """
}
