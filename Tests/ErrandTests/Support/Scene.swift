import EventLoop
import Glibc
import HttpWire
import Testing

@testable import Errand

extension HttpClient.Configuration {
  /// Limits in time that no test reaches on a busy machine, and that end one that hangs.
  static var test: HttpClient.Configuration {
    var configuration = HttpClient.Configuration()
    configuration.timeouts = Timeouts(
      queue: .seconds(90), connect: .seconds(90), firstByte: .seconds(90), idle: .seconds(90), total: .seconds(90))
    configuration.keepAlive = .seconds(300)
    // The machine's network is not the test's own.
    configuration.followsNetworkChanges = false
    configuration.proxy = .none
    return configuration
  }

  static func test(perHost: Int) -> HttpClient.Configuration {
    test { $0.maxConnectionsPerHost = perHost }
  }

  /// The same with some things changed.
  static func test(_ change: (inout HttpClient.Configuration) -> Void) -> HttpClient.Configuration {
    var configuration = test
    change(&configuration)
    return configuration
  }
}

/// Runs a test with a client and a scripted peer, and looks afterwards at what must hold whatever happened: each request has had one
/// outcome, and no slot, table entry, connection or descriptor is left.
func scene(
  _ configuration: HttpClient.Configuration, on address: SocketAddress = .loopback(port: 0),
  _ script: @escaping ScriptedPeer.Script, sourceLocation: SourceLocation = #_sourceLocation,
  test: (HttpClient, ScriptedPeer) async throws -> Void
) async throws {
  let peer = await ScriptedPeer(script)
  try await peer.start(on: address)
  let client = HttpClient(configuration)
  do {
    try await test(client, peer)
  } catch {
    await peer.stop()
    await client.shutdown(grace: .zero)
    throw error
  }
  await expectNothingLeft(client, sourceLocation)
  try await expectNoDescriptorLeft(peer, sourceLocation)
  await peer.stop()
}

/// The same with a client of the default limits.
func scene(
  on address: SocketAddress = .loopback(port: 0), _ script: @escaping ScriptedPeer.Script,
  sourceLocation: SourceLocation = #_sourceLocation,
  test: (HttpClient, ScriptedPeer) async throws -> Void
) async throws {
  try await scene(.test, on: address, script, sourceLocation: sourceLocation, test: test)
}

/// Shuts the client down and looks at what is left of it.
func expectNothingLeft(_ client: HttpClient, _ sourceLocation: SourceLocation = #_sourceLocation) async {
  await client.shutdown(grace: .zero)
  let stats = await client.stats()
  #expect(stats.inFlight == 0, "in the table", sourceLocation: sourceLocation)
  #expect(stats.queued == 0, "queued", sourceLocation: sourceLocation)
  #expect(stats.openConnections == 0, "open", sourceLocation: sourceLocation)
  #expect(stats.idleConnections == 0, "idle", sourceLocation: sourceLocation)
  #expect(
    stats.submitted == stats.finished + stats.failed + stats.cancelled, "one outcome each: \(stats)", sourceLocation: sourceLocation)
  let (inUse, hosts) = await client.slots()
  #expect(inUse == 0, "slots in use", sourceLocation: sourceLocation)
  #expect(hosts == 0, "origins remembered", sourceLocation: sourceLocation)
}

/// Looks while the peer still listens: nobody else can have its port so long.
private func expectNoDescriptorLeft(_ peer: ScriptedPeer, _ sourceLocation: SourceLocation) async throws {
  guard let port = await peer.address.port else { return }
  let start = Instant.now()
  while case let count = Descriptors.open(port: port), count > 0 {
    guard start.duration(to: .now()) < .seconds(10) else {
      Issue.record("\(count) descriptors are left open", sourceLocation: sourceLocation)
      return
    }
    await peer.cutAll()
    await loopTurn()
  }
}

extension HttpClient {
  @LoopActor func slots() -> (inUse: Int, hosts: Int) { (engine.pool.admission.inUse, engine.pool.hostCount) }

  /// The failure of a request that is expected to fail.
  func failure(_ request: HttpRequest, sourceLocation: SourceLocation = #_sourceLocation) async throws -> HttpClientError {
    do throws(HttpClientError) {
      let response = try await send(request)
      Issue.record("answered \(response.status) instead of failing", sourceLocation: sourceLocation)
      throw HttpClientError(.connect, message: "no failure")
    } catch {
      return error
    }
  }
}

enum Descriptors {
  /// `TCP_KEEPIDLE` of this process's connections to `port`.
  static func keepAliveIdle(connectedTo port: UInt16) -> [Int32] {
    (0..<Int32(1_024)).compactMap { descriptor in
      guard Socket.remoteAddress(descriptor)?.port == port else { return nil }
      var value: Int32 = 0
      var length = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, &value, &length) == 0 ? value : nil
    }
  }

  /// Connected sockets of this machine on `port` that a process holds open, at either end.
  static func open(port: UInt16) -> Int {
    count("/proc/net/tcp", port) + count("/proc/net/tcp6", port)
  }

  private static func count(_ path: String, _ port: UInt16) -> Int {
    let digits = String(port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - digits.count) + digits
    // The table has a line for each connection of the machine, most of them closed long ago: only lines with the port are looked at.
    guard let file = fopen(path, "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    var found = 0
    while fgets(&line, Int32(line.count), file) != nil {
      guard strstr(line, suffix + " ") != nil else { continue }
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let fields = text.split(separator: " ")
      // A closed socket that the kernel still keeps, such as in TIME_WAIT, has the inode 0.
      if fields.count > 9, fields[9] != "0", fields[3] != "0A", fields[1].hasSuffix(suffix) || fields[2].hasSuffix(suffix) { found += 1 }
    }
    return found
  }
}
