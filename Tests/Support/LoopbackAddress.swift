import Glibc

/// Addresses that nobody else uses, on the loopback device.
public enum LoopbackAddress {
  public static func mayChange() async -> Bool {
    guard (try? await Command.run("ip", "address", "add", "127.77.13.250/32", "dev", "lo"))?.status == 0 else { return false }
    return (try? await Command.run("ip", "address", "del", "127.77.13.250/32", "dev", "lo"))?.status == 0
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
    let result = try await Command.run(["ip", "address", verb, "127.77.13.\(number)/32", "dev", "lo"] + options)
    guard result.status == 0 else { throw TestTimeout("ip address \(verb): \(result.text)") }
  }

  /// Also what a test that failed has left.
  public static func removeAllBlocking() {
    guard let pipe = popen("ip -force -batch - 2>/dev/null", "w") else { return }
    for number in 1...4 { fputs("address del 127.77.13.\(number)/32 dev lo\n", pipe) }
    pclose(pipe)
  }

  /// Some sixty addresses come and go before this returns.
  public static func churnBlocking() {
    for verb in ["add", "del"] {
      let script = (100..<160).map { "address \(verb) 127.77.13.\($0)/32 dev lo\n" }.joined()
      guard let pipe = popen("ip -batch -", "w") else { return }
      fputs(script, pipe)
      pclose(pipe)
    }
  }
}
