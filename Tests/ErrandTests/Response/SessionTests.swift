import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct SessionTests {
  private static let envelope = EnvelopeProfile(
    name: "shop", successPointer: "/code", successValues: ["0"], codePointer: "/code", messagePointer: "/msg", dataPointer: "/data",
    sessionInvalidCodes: ["401", "E-SESSION"])

  private struct Report: Sendable {
    let value: SessionInvalid
    let onLoop: Bool
  }

  private let reports = Record<Report>("reports of ended sessions")

  private func sessions(_ test: (HttpClient, ScriptedPeer) async throws -> Void) async throws {
    let configuration = HttpClient.Configuration.test { [reports] in
      $0.onSessionInvalid = { reports.add(Report(value: $0, onLoop: EventLoop.shared.isOnLoop)) }
    }
    try await scene(configuration) { connection, request in
      switch request.target {
      case "/old": connection.answer(#"{"code": 401, "msg": "log in\nagain"}"#)
      case "/old-status": connection.answer(#"{"code": "E-SESSION", "msg": "no"}"#, status: 403)
      case "/refused": connection.answer(#"{"code": 7, "msg": "no"}"#)
      default: connection.answer(#"{"code": "0", "data": {}}"#)
      }
    } test: { client, peer in
      try await test(client, peer)
    }
  }

  private func request(_ url: String, service: String? = nil, envelope: EnvelopeProfile? = SessionTests.envelope) -> HttpRequest {
    var request = HttpRequest(url)
    request.envelope = envelope
    request.service = service
    return request
  }

  @Test func manyFailuresAtOnceAreOneReport() async throws {
    try await sessions { client, peer in
      let url = await peer.url("/old")
      try await withThrowingTaskGroup { group in
        for _ in 0..<200 {
          group.addTask {
            let error = try await client.failure(self.request(url, service: "shop"))
            #expect(error.code == .service && error.serviceCode == "401")
          }
        }
        try await group.waitForAll()
      }
      let told = try await reports.first(1)
      #expect(told[0].value.service == "shop" && told[0].value.envelope == "shop" && told[0].value.code == "401")
      #expect(told[0].value.description == "the session of shop is over: 401: log in again")
      #expect(told[0].value.message == "log in again" && told[0].value.origin + "/old" == url)
      #expect(told[0].value.request.url == url && !told[0].onLoop)
    }
    #expect(reports.count == 1)
  }

  @Test func itIsReportedAgainAfterARequestOfTheServiceSucceeded() async throws {
    try await sessions { client, peer in
      for _ in 0..<3 {
        for path in ["/old", "/old-status", "/old"] { _ = try await client.failure(request(await peer.url(path), service: "shop")) }
        _ = try await client.send(request(await peer.url(), service: "shop"))
      }
      try await reports.first(3)
    }
    #expect(reports.count == 3)
  }

  @Test func eachServiceAndEachOriginIsReportedForItself() async throws {
    try await sessions { client, peer in
      let url = await peer.url("/old")
      for service in ["a", "b", nil, "a", "b", nil] { _ = try await client.failure(request(url, service: service)) }
      let told = try await reports.first(3)
      #expect(told.map(\.value.service) == ["a", "b", nil])
      _ = try await client.send(request(await peer.url(), service: "b"))
      for service in ["a", "b", nil] { _ = try await client.failure(request(url, service: service)) }
      let more = try await reports.first(4)
      #expect(more[3].value.service == "b", "the success of one service says nothing of the others")
    }
    #expect(reports.count == 4)
  }

  @Test func otherFailuresAndOtherEnvelopesAreNoReport() async throws {
    try await sessions { client, peer in
      _ = try await client.failure(request(await peer.url("/refused"), service: "shop"))
      _ = try await client.failure(request(await peer.url("/old"), service: "shop", envelope: .codeMsgData))
      _ = try await client.send(request(await peer.url("/old"), service: "shop", envelope: nil))
    }
    #expect(reports.count == 0)
  }

  @Test func anEnvelopeThatCantBeUsedIsRefused() async throws {
    try await sessions { client, peer in
      let envelope = EnvelopeProfile(name: "bad", successPointer: "code", successValues: ["0"])
      let error = try await client.failure(request(await peer.url(), envelope: envelope))
      #expect(error.code == .invalidRequest && error.field == "envelope")
      #expect(peer.accepted.count == 0)
    }
  }
}
