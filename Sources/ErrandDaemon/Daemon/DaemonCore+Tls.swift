internal import Dispatch
internal import Errand
internal import EventLoop

/// TLS settings that requests bring along: parsing certificates and opening keys takes its time, and none of it on the loop.
extension DaemonCore {
  /// So many settings are known to be ready; fewer than the client keeps.
  private static let knownLimit = 100
  private static let queue = DispatchQueue(label: "errand.tls", attributes: .concurrent)

  /// Whether submitting it would parse nothing.
  func isTlsReady(_ submission: Submission) -> Bool { submission.request.tls.map(knownTls.contains) ?? true }

  /// Calls `then` on the loop, at once if the request brings nothing new, with what is wrong with its settings if they can't be used.
  func prepareTls(of submission: Submission, _ then: @escaping @LoopActor (Problem?) -> Void) {
    guard let settings = submission.request.tls, !isTlsReady(submission) else { return then(nil) }
    DaemonCore.queue.async { [client] in
      let problem: Problem?
      do throws(TlsError) {
        try client.prepareTls(settings)
        problem = nil
      } catch {
        problem = TlsReader.problem(settings, error)
      }
      EventLoop.shared.enqueue {
        if problem == nil { self.knows(settings) }
        then(problem)
      }
    }
  }

  /// Makes ready what the configuration says, and what the system trusts, before the first request. That they can be used is known by now.
  nonisolated func makeTlsReady(_ connecting: ConnectionRules) async {
    for settings in connecting.allTls { try? client.prepareTls(settings) }
    await knowAll(connecting.allTls)
  }

  private func knowAll(_ all: [TlsSettings]) {
    knownTls.formUnion(all)
  }

  private func knows(_ settings: TlsSettings) {
    if knownTls.count >= DaemonCore.knownLimit { knownTls = [] }
    knownTls.insert(settings)
  }
}
