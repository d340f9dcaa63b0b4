import EventLoop
import Glibc
import HttpWire
import TestSupport
import Testing

@testable import ErrandDaemon

/// A second user, with a uid of its own at the other end of the socket: only root can make one.
@Suite(.enabled(if: geteuid() == 0, "needs root, to act as another user"))
struct OtherUserTests {
  private static let uid = 65_534

  private func curl(_ test: TestDaemon, _ path: String, _ more: String...) async throws -> JsonValue {
    let user = ["setpriv", "--reuid=\(Self.uid)", "--regid=\(Self.uid)", "--clear-groups"]
    let words = user + ["curl", "-sS", "--max-time", "30", "--unix-socket", test.daemon.socketPath] + more + ["http://errand" + path]
    let result = try await Command.run(words)
    return try JsonValue.parse(result.output)
  }

  @Test func `another user sees and touches only what is its own`() async throws {
    try await TestDaemon.with {
      $0.socketMode = "0666"
    } _: { test in
      chmod(test.directory.path, 0o711)
      let ours = try await test.submit(path: "/held", "\"delegate\": \"a\", \"tag\": 1")
      let theirs = try #require(
        try await curl(test, "/v1/requests", "-d", "{\"url\": \"\(test.target.url)/held\", \"delegate\": \"a\", \"tag\": 1}")["handle"]?
          .string)
      #expect(try await curl(test, "/v1/requests")["requests"]?.array?.map { $0["handle"]?.string } == [theirs])
      #expect(try await curl(test, "/v1/requests/\(theirs)")["owner"]?.string == "uid:\(Self.uid)")
      for more in [[], ["-X", "DELETE"]] {
        let refused = try await Command.run(
          [
            "setpriv", "--reuid=\(Self.uid)", "--regid=\(Self.uid)", "--clear-groups", "curl", "-sS", "--unix-socket",
            test.daemon.socketPath,
          ]
            + more + ["http://errand/v1/requests/\(ours)"])
        #expect(refused.text.contains("urn:errand:problem:unknown_handle"))
      }
      #expect(try await curl(test, "/v1/requests/\(ours)/body")["type"]?.string == "urn:errand:problem:unknown_handle")
      // A delegate of the same name is another one, and those of others can't be named.
      #expect(try await curl(test, "/v1/delegates")["delegates"]?.array?.count == 1)
      for path in ["/v1/delegates/a?owner=uid:0", "/v1/delegates/a/events?owner=uid:0"] {
        #expect(try await curl(test, path)["type"]?.string == "urn:errand:problem:forbidden")
      }
      let unix = "{\"url\": \"http://h/\", \"unix_socket\": \"/run/x.sock\"}"
      #expect(try await curl(test, "/v1/requests", "-d", unix)["field"]?.string == "/unix_socket")
      // Its widest cancel takes its own only.
      #expect(try await curl(test, "/v1/cancel", "-d", "{\"all\": true}")["receipts"]?.array?.map { $0["handle"]?.string } == [theirs])
      #expect(try await curl(test, "/v1/delegates/a/events")["events"]?.array?.map { $0["handle"]?.string } == [theirs])
      #expect(try await test.get("/v1/requests/\(ours)").json["state"]?.string == "waiting")
      // Root sees both.
      #expect(try await test.get("/v1/requests").json["requests"]?.array?.count == 2)
      #expect(try await test.get("/v1/delegates").json["delegates"]?.array?.count == 2)
      #expect(try await test.get("/v1/delegates/a/events?owner=uid:\(Self.uid)").json["events"]?.array?.count == 1)
    }
  }

  @Test func `with the mode that is set without a word, another user can't connect`() async throws {
    try await TestDaemon.with { test in
      chmod(test.directory.path, 0o711)
      let refused = try await Command.run(
        "setpriv", "--reuid=\(Self.uid)", "--regid=\(Self.uid)", "--clear-groups", "curl", "-sS", "--unix-socket", test.daemon.socketPath,
        "http://errand/healthz")
      #expect(refused.status == 7)
    }
  }
}
