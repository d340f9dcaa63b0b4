import EventLoop
import TestSupport

/// A scripted name server, and files of names that are a test's own.
@LoopActor
final class ResolverScene {
  let server: DnsServer
  let directory: TemporaryDirectory

  init() throws {
    server = try DnsServer()
    directory = try TemporaryDirectory()
  }

  isolated deinit {
    server.close()
  }

  /// One that asks that server, once, and reads those files.
  func resolver(_ change: (inout ResolverSettings) -> Void = { _ in }) -> CaresResolver {
    var settings = ResolverSettings()
    settings.servers = server.servers
    settings.tries = 1
    settings.hostsFile = directory.file("hosts")
    settings.configurationFile = directory.file("resolv.conf")
    change(&settings)
    return CaresResolver(settings)
  }
}
