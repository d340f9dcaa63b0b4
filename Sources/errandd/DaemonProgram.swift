import ErrandDaemon
import EventLoop
import Glibc

/// The process around a daemon: its command line, its signals, its end.
enum DaemonProgram {
  /// Exit codes: 0 ended as told, 1 could not start, 2 wrong usage or configuration.
  static func run(_ arguments: [String]) async {
    do throws(DaemonError) {
      let options = try DaemonOptions(arguments)
      if options.showsHelp { return print(DaemonOptions.help, terminator: "") }
      if options.describesMetrics { return print(Metric.page, terminator: "") }
      if options.showsVersion { return print("errandd \(Daemon.version)") }
      let configuration = try options.configuration()
      if options.checksConfig {
        try Daemon.check(configuration)
        return print("errandd: \(options.configPath ?? "the defaults"): no fault found")
      }
      await serve(options, configuration)
    } catch {
      end("\(error)", 2)
    }
  }

  private static func serve(_ options: DaemonOptions, _ configuration: DaemonConfiguration) async {
    let descriptors = Int32(min(Socket.raiseDescriptorLimit(), 32_768))
    EventLoop.shared.enqueue { EventLoop.shared.prepare(descriptors: descriptors) }
    // The log's reader may go away: that ends the log, not the daemon.
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is told by the call that failed.
    signal(SIGXFSZ, SIG_IGN)
    do throws(DaemonError) {
      let manager = ServiceManager()
      let watch = SignalWatch(options, manager)
      await watch.begin()
      let daemon = try await Daemon.start(configuration, manager: manager)
      manager.ready(status: "serving \(daemon.socketPath)")
      await manager.startWatchdog()
      let isHurried = await watch.untilEnded(daemon)
      daemon.log.flush(limit: isHurried ? .milliseconds(50) : .seconds(1))
      EventLoop.shared.stop()
    } catch {
      end("\(error)", 1)
    }
  }

  private static func end(_ message: String, _ code: Int32) -> Never {
    let line = Array("errandd: \(message)\n".utf8)
    _ = write(2, line, line.count)
    exit(code)
  }
}
