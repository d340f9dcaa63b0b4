internal import Errand
public import EventLoop
import Glibc
internal import HttpServer
internal import HttpWire

/// The daemon: the control API on a Unix socket, and on loopback TCP if wanted, over one client. Several may live in one process, each with
/// its own socket and state directory.
public final class Daemon: Sendable {
  public static let version = "1.0.0"

  public let socketPath: String
  /// The TCP listener with its real port, if there is one.
  public let listenAddress: SocketAddress?
  public let log: Log
  private let state: StateDirectory
  let core: DaemonCore
  private let server: HttpServer
  private let current: Locked<DaemonConfiguration>

  /// Takes the state directory, listens, and serves from then on. Throws a sentence for whoever starts it.
  public static func start(
    _ configuration: DaemonConfiguration, log: Log? = nil, manager: ServiceManager? = nil,
    environment: [String: String] = DefaultPaths.environment()
  ) async throws(DaemonError) -> Daemon {
    let log = log ?? Log(limit: configuration.log.queueLines)
    log.configure(configuration.log)
    if let file = configuration.log.file { try log.write(to: file) }
    let inherited = try InheritedSockets(manager?.inherited ?? [])
    let settings = try StartSettings(configuration, environment: environment, hasTcp: inherited.tcp != nil)
    let directory = settings.stateDirectory
    let path = inherited.unixPath ?? settings.socketPath
    let state = try StateDirectory(directory)
    let reserve = try HandleReserve(path: directory + "/handles")
    let fitted = configuration.fitted(to: DescriptorPlan.currentLimit, log: log)
    let content = try ContentParts(configuration, stateDirectory: directory, log: log)
    let (journal, kept) = await Journal.open(in: directory, configuration.journal)
    await log.write(of: journal.state, atStart: true)
    let parts = Parts(
      configuration: fitted, settings: settings, content: content, journal: journal, kept: kept, inherited: inherited, reserve: reserve,
      log: log)
    let (core, server, address): (DaemonCore, HttpServer, SocketAddress?)
    do throws(DaemonError) {
      (core, server, address) = try await parts.start()
    } catch {
      await journal.close()
      await reserve.giveBack()
      throw error
    }
    for name in settings.connecting.unverified {
      log.write(.warning, "TLS without verification: whoever answers is taken for the server", [("setting", name + ".verify")])
    }
    log.write(
      .info, "serving",
      [("version", version), ("socket", path), ("listen", address?.description ?? "-"), ("state_dir", directory), ("pid", "\(getpid())")])
    return Daemon(configuration, path, address, log, state, core, server)
  }

  /// Throws what would keep a daemon with these settings from starting, as far as can be told without starting it. Reads files: not for
  /// the loop.
  public static func check(
    _ configuration: DaemonConfiguration, environment: [String: String] = DefaultPaths.environment()
  ) throws(DaemonError) {
    try StartSettings(configuration, environment: environment).checkPaths()
  }

  private init(
    _ configuration: DaemonConfiguration, _ path: String, _ address: SocketAddress?, _ log: Log, _ state: StateDirectory,
    _ core: DaemonCore,
    _ server: HttpServer
  ) {
    socketPath = path
    listenAddress = address
    self.log = log
    self.state = state
    self.core = core
    self.server = server
    current = Locked(configuration)
  }

  /// Takes over the settings that can change while the daemon runs; gives the names of those changed that need a restart.
  @discardableResult
  public func reload(_ configuration: DaemonConfiguration) async -> [String] {
    let old = current.withLock { current in
      let old = current
      current = configuration
      return old
    }
    log.configure(configuration.log)
    do throws(DaemonError) {
      try log.write(to: configuration.log.file)
    } catch {
      log.write(.error, "log kept where it was", [("reason", error.description)])
    }
    await core.apply(configuration)
    let waiting = old.needingRestart(configuration)
    log.write(.info, "configuration read", waiting.isEmpty ? [] : [("needs_restart", waiting.joined(separator: ","))])
    return waiting
  }

  /// Takes no more requests, lets those under way end within `grace` (nil: the setting), tells followers their last events, and closes.
  /// A later call with a shorter grace shortens it.
  public func stop(grace: Duration? = nil) async {
    let grace = grace ?? .milliseconds(current.withLock { $0.graceMs })
    log.write(.info, "ending", [("grace_ms", "\(grace.wholeNanoseconds / 1_000_000)")])
    await core.drain(grace: grace)
    await server.close(grace: min(grace, .seconds(2)))
    // While the directory is still this daemon's own.
    await core.journal.close()
    await core.reserve.giveBack()
    await core.jars.settle()
    await core.cache.close()
    if state.release() { log.write(.info, "ended") }
  }
}

/// What is put together on the loop.
private struct Parts: Sendable {
  let configuration: DaemonConfiguration
  let settings: StartSettings
  let content: ContentParts
  let journal: Journal
  let kept: JournalContent
  let inherited: InheritedSockets
  let reserve: HandleReserve
  let log: Log

  @LoopActor
  func start() async throws(DaemonError) -> (DaemonCore, HttpServer, SocketAddress?) {
    // The numbers that earlier runs gave to handles and events lie below the handles of this one.
    let store = LocalStore(journal, limits: configuration.storeLimits, seqFloor: reserve.first - 1)
    let core = DaemonCore(
      configuration, token: settings.token, connecting: settings.connecting, content: content, journal: journal, store: store,
      reserve: reserve, log: log)
    let server = HttpServer(configuration: configuration.serverConfiguration)
    ApiRoutes.register(core, on: server)
    // Before anybody can connect: it takes a while, and no request shall wait for it.
    await core.makeTlsReady(settings.connecting)
    do throws(SystemError) {
      if let descriptor = inherited.unix {
        try server.listen(adopting: descriptor)
      } else {
        try server.listen(on: settings.socket, mode: configuration.permission ?? 0o600)
      }
    } catch {
      throw DaemonError(
        error.errno == EADDRINUSE
          ? "another process serves the socket \(settings.socketPath)" : "can't listen on the socket \(settings.socketPath): \(error)")
    }
    var address: SocketAddress?
    if let descriptor = inherited.tcp {
      do throws(SystemError) { try server.listen(adopting: descriptor) } catch { throw DaemonError("can't listen: \(error)") }
      address = inherited.tcpAddress
      core.access.address = address
    } else if let listen = settings.listen {
      do throws(SystemError) {
        address = try server.listen(on: listen)
      } catch {
        throw DaemonError("can't listen on \(listen): \(error)")
      }
      core.access.address = address
    }
    // Only now: a daemon that could not start has run nothing.
    core.recover(kept)
    core.startSweeping()
    return (core, server, address)
  }
}

extension DaemonConfiguration {
  fileprivate var serverConfiguration: ServerConfiguration {
    var server = ServerConfiguration()
    server.maxBodyBytes = limits.submitBytes
    server.maxConnections = limits.apiConnections
    server.writeTimeout = .milliseconds(limits.apiWriteTimeoutMs)
    let submitBytes = limits.submitBytes
    server.errorBody = { status, message in
      var body: [UInt8] = []
      Problem.server(status, message, submitBytes: submitBytes).write(to: &body)
      body.append("\n")
      return (ApiAnswer.problemHeaders, body)
    }
    return server
  }
}
