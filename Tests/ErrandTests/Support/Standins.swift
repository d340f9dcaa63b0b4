import Dispatch
import EventLoop
import Glibc

@testable import Errand

/// Holds up whoever passes until it is opened.
final class Gate: Sendable {
  let reached = Record<Bool>("those at the gate")
  private let semaphore = DispatchSemaphore(value: 0)

  func pass() {
    reached.add(true)
    _ = semaphore.wait(timeout: .now() + 30)
    semaphore.signal()
  }

  func open() { semaphore.signal() }
}

/// A resolver that answers when a test says so, or never.
@LoopActor
final class StubResolver: NameResolver {
  private var waiting: [ResolveID: @LoopActor (Result<[SocketAddress], ResolveError>) -> Void] = [:]
  private var lastID: UInt64 = 0
  private var answersLiterals = false
  private(set) var cancelCount = 0
  /// Answers at once with these; nil leaves the question open.
  var answer: [SocketAddress]?
  /// Answers even those that were cancelled, as a careless resolver would.
  var keepsCancelled = false
  nonisolated let asked = Record<String>("names asked for")

  init(answer: [SocketAddress]? = nil) {
    self.answer = answer
  }

  func resolve(_ host: String, _ done: @escaping @LoopActor (Result<[SocketAddress], ResolveError>) -> Void) -> ResolveID {
    lastID += 1
    if answersLiterals, let address = SocketAddress.ip(host, port: 0) {
      done(.success([address]))
      return ResolveID(lastID)
    }
    if let answer { done(.success(answer)) } else { waiting[ResolveID(lastID)] = done }
    asked.add(host)
    return ResolveID(lastID)
  }

  /// From now on addresses written as such are answered, as any resolver does.
  func answerLiterals() { answersLiterals = true }

  func cancel(_ id: ResolveID) {
    cancelCount += 1
    if !keepsCancelled { waiting[id] = nil }
  }

  func answerAll(_ result: Result<[SocketAddress], ResolveError>) {
    let told = waiting
    waiting = [:]
    for done in told.values { done(result) }
  }
}

/// A listening socket whose queue is full: connecting to it neither succeeds nor fails.
final class FullListener {
  let url: String
  let address: SocketAddress
  private var descriptors: [Int32] = []

  init(v6: Bool = false, port: UInt16 = 0) throws {
    let listener = try Socket.listen(on: .loopback(port: port, v6: v6), backlog: 0)
    descriptors = [listener]
    guard let address = Socket.localAddress(listener) else { throw SystemError(errno: EINVAL, call: "getsockname") }
    self.address = address
    url = "http://\(address)/"
    for _ in 0..<4 {
      let filler = try Socket.open(for: address)
      descriptors.append(filler)
      _ = try Socket.connect(filler, to: address)
    }
  }

  /// Takes all that waits, so that the kernel has room for the next.
  func accept() {
    guard let listener = descriptors.first else { return }
    while let taken = try? Socket.accept(listener) { descriptors.append(taken.descriptor) }
  }

  func close() {
    for descriptor in descriptors { Socket.close(descriptor) }
    descriptors = []
  }
}

/// Keeps outcomes that come on the loop.
final class RecordingSink: OutcomeSink {
  let outcomes = Record<(info: RequestInfo, outcome: Outcome)>("outcomes of a sink")

  @LoopActor func requestEnded(_ request: RequestInfo, _ outcome: Outcome) {
    outcomes.add((request, outcome))
  }
}

/// A path for a Unix socket, in a directory of its own that is removed afterwards.
func withTemporaryPath(_ body: (String) async throws -> Void) async throws {
  var template = Array("/tmp/errand-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw SystemError(errno: errno, call: "mkdtemp") }
  let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { rmdir(directory) }
  try await body(directory + "/socket")
}
