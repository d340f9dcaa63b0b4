import EventLoop
import HttpWire
import TestSupport
import Testing

@testable import Errand

/// What is kept of a body that is written, while its answer is awaited.
@Suite("Bodies that are written", .oneAtATime, .timeLimit(.minutes(2)))
struct HeldBodyTests {
  static let kinds: [UploadKind] = [.file, .stream, .streamWithLength, .streamOnce, .formWithFiles]
  private static let size = 3_000_000

  /// The memory of all arrays of bytes that can be reached from something, used or not. What closures hold is not seen.
  private static func bytes(within value: Any) -> Int {
    var seen: Set<ObjectIdentifier> = []
    func count(_ value: Any) -> Int {
      if let bytes = value as? [UInt8] { return bytes.capacity }
      let mirror = Mirror(reflecting: value)
      if mirror.displayStyle == .class, !seen.insert(ObjectIdentifier(value as AnyObject)).inserted { return 0 }
      return mirror.children.reduce(0) { $0 + count($1.value) }
    }
    return count(value)
  }

  @Test("the memory of pieces is seen while they are on their way")
  func measure() {
    final class Holder {
      let locked: Locked<[UInt8]>? = Locked([UInt8](repeating: 1, count: 70_000))
      var spare: [UInt8] = []
      init() { spare.reserveCapacity(50_000) }
    }
    #expect(Self.bytes(within: (Holder(), 1)) >= 120_000)
  }

  private func expectLetGo(_ client: HttpClient, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await client.wait("a body that is written") { $0.engine.table.all.first?.isWhollyWritten == true }
    let held = await client.onLoop { $0.engine.table.all.first?.feed.map { Self.bytes(within: $0) } }
    #expect(held.map { $0 < 4_096 } == true, "\(held ?? -1) bytes", sourceLocation: sourceLocation)
  }

  @Test("nothing of them is held over HTTP/1.1", arguments: kinds)
  func http1(kind: UploadKind) async throws {
    let upload = try Upload(kind, size: Self.size)
    try await scene { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      client.submit(.put(await peer.url(), upload), delegate: delegate)
      try await peer.requests.first(1)
      try await expectLetGo(client)
      await peer.answerAll()
      #expect(try await delegate.outcomes.first(1)[0].event.response?.text == "late")
      try await upload.expectLetGo()
    }
  }

  @Test("nothing of them is held over HTTP/2", arguments: kinds)
  func http2(kind: UploadKind) async throws {
    let upload = try Upload(kind, size: Self.size)
    try await http2Scene { _, _ in
    } test: { client, peer in
      let delegate = RecordingDelegate()
      var request = await peer.request()
      (request.method, request.body) = (.put, upload.body)
      client.submit(request, delegate: delegate)
      let stream = try await peer.requests.first(1)[0].request.stream
      try await expectLetGo(client)
      await peer.with(0) { $0.answer(stream, body: Array("late".utf8)) }
      #expect(try await delegate.outcomes.first(1)[0].event.response?.text == "late")
      try await upload.expectLetGo()
    }
  }
}
