import Foundation
import TestSupport
import Testing

/// What a service manager sees of the daemon.
@Suite(.oneAtATime, .timeLimit(.minutes(5))) struct ServiceManagerTests {
  // From Tests/SystemTests up to the package.
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

  @Test func `a manager is told what it asks for, and its sockets are served`() async throws {
    let driver = Self.root.appending(path: "Tests/Drivers/service-manager")
    let result = try await Command.run(["python3", driver.path, "--errandd", try Programs.path("errandd")])
    #expect(result.status == 0, "\(result.text)")
    print(result.text)
  }

  @Test func `systemd finds no fault in the units, and little that is exposed`() async throws {
    let directory = try TemporaryDirectory()
    for name in ["errandd.service", "errandd.socket"] {
      var text = try String(contentsOf: Self.root.appending(path: "config/\(name)"), encoding: .utf8)
      // What is not installed where the tests run.
      text = text.replacing("/usr/bin/errandd", with: try Programs.path("errandd")).replacing("Documentation=man:errandd(8)\n", with: "")
      try directory.write(name, Array(text.utf8))
    }
    let verified = try await Command.run("systemd-analyze", "verify", directory.file("errandd.service"), directory.file("errandd.socket"))
    #expect(verified.status == 0 && !verified.text.contains("errandd."), "\(verified.text)")
    // In tenths: 15 is "OK".
    let exposed = try await Command.run(
      "systemd-analyze", "security", "--offline=true", "--threshold=20", directory.file("errandd.service"))
    #expect(exposed.status == 0, "\(exposed.text)")
  }
}
