import Dispatch
import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite("Delegates that answer challenges", .oneAtATime, .timeLimit(.minutes(2)))
struct ChallengeTests {
  /// Wants Basic of `user` and `right`.
  @LoopActor private static func gatekeeper(_ connection: PeerConnection, _ request: SeenRequest) {
    let said = request.head.headers["Authorization"]
    if said == "Basic dXNlcjpyaWdodA==" || said == "Bearer right" { return connection.answer("in") }
    connection.answer("out", status: 401, fields: "WWW-Authenticate: Basic realm=\"r\"\r\nWWW-Authenticate: Bearer\r\n")
  }

  private static let right = HttpCredentials.any(user: "user", password: "right")
  private static let wrong = HttpCredentials.any(user: "user", password: "wrong")

  @Test("a delegate's credentials are sent, whatever the request had before")
  func use() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let url = await peer.url("/x")
      for answer in [ChallengeTests.right, .basic(user: "user", password: "right"), .bearer("right")] {
        for own in [nil, ChallengeTests.wrong, .bearer("old")] {
          let delegate = AnsweringDelegate([.use(answer)])
          var request = HttpRequest(url, method: .put, body: .text("abc"))
          request.credentials = own
          if own == nil { request.headers = ["Authorization": "Bearer old"] }
          client.submit(request, delegate: delegate)
          let outcome = try await delegate.outcomes.first(1)[0]
          #expect(outcome.event.response?.text == "in")
          let challenge = try #require(delegate.challenges.all.first)
          #expect(challenge.url == url && challenge.method == .put && challenge.previousFailures == 0)
          #expect(challenge.challenges.map(\.scheme) == ["basic", "bearer"] && challenge.challenges[0].realm == "r")
        }
      }
    }
  }

  @Test("the answer may come later, from any thread, and one that is let go is none")
  func later() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([nil])
      let handle = client.submit(HttpRequest(await peer.url()), delegate: delegate)
      try await client.wait(for: handle) { $0.machine.state == .preparing }
      let words = await client.onLoop { $0.describe(handle)?.explanation }
      #expect(words?.hasPrefix("waits for its delegate to answer the challenge of 127.0.0.1:") == true)
      let challenge = try await delegate.challenges.first(1)[0]
      DispatchQueue.global().async {
        challenge.answer(.use(ChallengeTests.right))
        challenge.answer(.cancel)
      }
      let outcome = try await delegate.outcomes.first(1)[0]
      #expect(outcome.event.response?.text == "in")

      let careless = AnsweringDelegate([nil], keeps: false)
      client.submit(HttpRequest(await peer.url()), delegate: careless)
      let refused = try await careless.outcomes.first(1)[0].event.error
      #expect(refused?.status == 401 && refused?.response?.text == "out")
    }
  }

  @Test("to go on without is to take the 401 as it is")
  func proceed() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([.proceedWithout])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let error = try #require(try await delegate.outcomes.first(1)[0].event.error)
      #expect(error.code == .httpStatus && error.status == 401 && error.response?.text == "out" && error.attempts == 1)
      #expect(peer.requests.count == 1)
    }
  }

  @Test("to cancel is to cancel the request")
  func cancel() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([.cancel])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let outcome = try await delegate.outcomes.first(1)[0].event
      guard case .cancelled(let receipt) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(receipt.result == .cancelled && receipt.sent == .sent && peer.requests.count == 1)
    }
  }

  @Test("wrong answers are asked about again, with their number, and not without end")
  func wrongAnswers() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([.use(ChallengeTests.wrong), .use(.bearer("wrong")), .use(ChallengeTests.right)])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let outcome = try await delegate.outcomes.first(1)[0]
      #expect(outcome.event.response?.text == "in")
      #expect(delegate.challenges.all.map(\.previousFailures) == [0, 1, 2])

      let stubborn = AnsweringDelegate(Array(repeating: .use(ChallengeTests.wrong), count: 100))
      client.submit(HttpRequest(await peer.url()), delegate: stubborn)
      let error = try await stubborn.outcomes.first(1)[0].event.error
      #expect(error?.status == 401 && stubborn.challenges.count == AuthProgress.maximumAsked)
      #expect(error.map { !"\($0)".contains("wrong") } == true)
    }
  }

  @Test("credentials that can't answer, or can't be sent, end the request")
  func useless() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let digest = AnsweringDelegate([.use(.digest(user: "user", password: "right"))])
      client.submit(HttpRequest(await peer.url()), delegate: digest)
      let unanswered = try await digest.outcomes.first(1)[0].event.error
      #expect(unanswered?.status == 401 && unanswered?.message.contains("offers nothing") == true)
      let bad = AnsweringDelegate([.use(.basic(user: "a:b", password: "hush"))])
      client.submit(HttpRequest(await peer.url()), delegate: bad)
      let invalid = try await bad.outcomes.first(1)[0].event.error
      #expect(invalid?.code == .invalidRequest && invalid.map { !"\($0)".contains("hush") } == true)
      #expect(peer.requests.count == 2)
    }
  }

  @Test("cancelled while its delegate thinks nothing more is sent")
  func cancelledMeanwhile() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([nil])
      let handle = client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let challenge = try await delegate.challenges.first(1)[0]
      let receipt = await client.cancel(handle)
      #expect(receipt.result == .cancelled)
      challenge.answer(.use(ChallengeTests.right))
      let outcome = try await delegate.outcomes.first(1)[0].event.name
      await loopTurn()
      #expect(outcome == "cancelled" && peer.requests.count == 1 && delegate.outcomes.count == 1)
    }
  }

  @Test("who did not ask to be asked gets the 401")
  func uninterested() async throws {
    try await scene(ChallengeTests.gatekeeper) { client, peer in
      let delegate = AnsweringDelegate([.use(ChallengeTests.right)], interests: [])
      client.submit(HttpRequest(await peer.url()), delegate: delegate)
      let error = try await delegate.outcomes.first(1)[0].event.error
      #expect(error?.status == 401)
      #expect(delegate.challenges.count == 0)
    }
  }
}

/// Answers each challenge with the next of its answers; nil is kept, or let go.
private final class AnsweringDelegate: HttpClientDelegate {
  let challenges = Record<AuthenticationChallenge>("challenges")
  let outcomes = Record<(info: RequestInfo, event: DelegateEvent)>("outcomes of a delegate")
  let interests: RequestInterests
  private let answers: Locked<[ChallengeAnswer?]>
  private let keeps: Bool

  init(_ answers: [ChallengeAnswer?], keeps: Bool = true, interests: RequestInterests = .challenges) {
    self.answers = Locked(answers.reversed())
    self.keeps = keeps
    self.interests = interests
  }

  func requestDidFinish(_ request: RequestInfo, response: HttpResponse) { outcomes.add((request, .finished(response))) }
  func requestDidFail(_ request: RequestInfo, error: HttpClientError) { outcomes.add((request, .failed(error))) }
  func requestWasCancelled(_ request: RequestInfo, receipt: CancelReceipt) { outcomes.add((request, .cancelled(receipt))) }

  func request(_ request: RequestInfo, didReceiveChallenge challenge: AuthenticationChallenge) {
    if keeps { challenges.add(challenge) }
    if let answer = answers.withLock({ $0.popLast() ?? nil }) { challenge.answer(answer) }
  }
}
