import Glibc
import TestSupport
import Testing

@testable import ErrandDaemon

struct DescriptorPlanTests {
  @Test(arguments: [
    (20_000, 4_096, 10_000, 4_096, 10_000), (1_024, 4_096, 10_000, 768, 236), (64, 4_096, 10_000, 32, 12), (256, 100, 10_000, 100, 136),
    (64, 4_096, 2, 42, 2), (10, 4_096, 10_000, 1, 1), (0, 1, 1, 1, 1),
  ])
  func `requests leave descriptors to the API`(_ limit: Int, _ client: Int, _ api: Int, _ clientFitted: Int, _ apiFitted: Int) {
    let plan = DescriptorPlan(limit: limit, clientConnections: client, apiConnections: api)
    #expect(plan.clientConnections == clientFitted)
    #expect(plan.apiConnections == apiFitted)
  }

  @Test func `what is lowered is told`() throws {
    let directory = try TemporaryDirectory()
    let descriptor = open(directory.file("log"), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let log = Log(descriptor: descriptor)
    #expect(DaemonConfiguration().fitted(to: 64, log: log).client.maxConnections == 32)
    _ = DaemonConfiguration().fitted(to: 1 << 20, log: log)
    log.flush()
    let lines = try StateFile.read(directory.file("log"))?.split(separator: "\n") ?? []
    #expect(lines.count == 2)
    #expect(lines.first?.contains("level=warning") == true)
    #expect(lines.first?.hasSuffix("setting=client.max_connections from=4096 to=32 descriptors=64") == true)
  }
}
