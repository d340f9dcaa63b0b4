import EventLoop

@testable import Errand

/// Makes a second request the moment the first has ended, on the loop.
@LoopActor
final class FollowUp: OutcomeSink {
  nonisolated let answers = Record<String>("answers to both")
  private let client: HttpClient
  private var next: HttpRequest?

  init(_ client: HttpClient, _ next: HttpRequest) {
    self.client = client
    self.next = next
  }

  func start(_ first: HttpRequest) {
    client.submitOnLoop(first, sink: self)
  }

  func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    switch outcome {
    case .finished(let response): answers.add(response.text)
    case .failed(let error): answers.add("\(error)")
    case .cancelled: answers.add("cancelled")
    }
    guard let next else { return }
    self.next = nil
    client.submitOnLoop(next, sink: self)
  }
}
