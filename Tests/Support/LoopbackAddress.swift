import Glibc

/// Addresses that nobody else uses, on the loopback device.
public enum LoopbackAddress {
  /// This process's own, for others may run the same tests.
  private static let network = "127.\(64 + UInt32(getpid()) >> 8 & 63).\(getpid() & 255)"

  public static func mayChange() async -> Bool {
    guard (try? await Command.run("ip", "address", "add", "\(network).250/32", "dev", "lo"))?.status == 0 else { return false }
    return (try? await Command.run("ip", "address", "del", "\(network).250/32", "dev", "lo"))?.status == 0
  }

  public static func add(_ number: UInt8, _ options: String...) async throws {
    try await run("add", number, options)
  }

  public static func remove(_ number: UInt8) async throws {
    try await run("del", number)
  }

  public static func run(_ verb: String, _ number: UInt8, _ options: String...) async throws {
    try await run(verb, number, options)
  }

  private static func run(_ verb: String, _ number: UInt8, _ options: [String]) async throws {
    let result = try await Command.run(["ip", "address", verb, "\(network).\(number)/32", "dev", "lo"] + options)
    guard result.status == 0 else { throw TestTimeout("ip address \(verb): \(result.text)") }
  }

  /// Also what a test that failed has left.
  public static func removeAllBlocking() {
    guard let pipe = popen("ip -force -batch - 2>/dev/null", "w") else { return }
    for number in 1...4 { fputs("address del \(network).\(number)/32 dev lo\n", pipe) }
    pclose(pipe)
  }

  /// Some sixty addresses come and go before this returns.
  public static func churnBlocking() {
    for verb in ["add", "del"] {
      let script = (100..<160).map { "address \(verb) \(network).\($0)/32 dev lo\n" }.joined()
      guard let pipe = popen("ip -batch -", "w") else { return }
      fputs(script, pipe)
      pclose(pipe)
    }
  }
}
