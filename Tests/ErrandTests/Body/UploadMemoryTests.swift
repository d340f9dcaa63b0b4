import EventLoop
import Glibc
import TestSupport
import Testing

@testable import Errand

/// Bodies larger than the memory that they may take.
@Suite(.timeLimit(.minutes(5))) struct UploadMemoryTests {
  /// Reads requests to their end, and answers with the number of bytes that followed the head.
  private static let sink = """
    import re, socket, threading
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    print("port", listener.getsockname()[1])
    def serve(peer):
        buffer = bytearray(1 << 20)
        while True:
            head = b""
            while b"\\r\\n\\r\\n" not in head:
                data = peer.recv(65536)
                if not data: return
                head += data
            head, _, rest = head.partition(b"\\r\\n\\r\\n")
            length = re.search(rb"(?i)content-length: (\\d+)", head)
            count, tail = len(rest), rest[-5:]
            while count < int(length[1]) if length else not tail.endswith(b"0\\r\\n\\r\\n"):
                got = peer.recv_into(buffer)
                if not got: return
                count += got
                tail = (tail + bytes(buffer[max(0, got - 5):got]))[-5:]
            answer = str(count).encode()
            peer.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(answer), answer))
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=serve, args=(peer,), daemon=True).start()
    """

  /// A sanitizer keeps freed memory to catch its use, and is slow.
  private static let isSanitized = getenv("ASAN_OPTIONS") != nil || getenv("TSAN_OPTIONS") != nil

  /// Of this process, in bytes.
  private static var resident: Int {
    var fields = PeerProcess.text(of: "/proc/self/statm").split(separator: " ").makeIterator()
    _ = fields.next()
    return (fields.next().flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }

  /// Looks at the memory in use while a request is under way.
  @LoopActor
  private final class Watch {
    private(set) var most = 0
    private var isOver = false

    nonisolated init() {}

    func start() {
      most = max(most, UploadMemoryTests.resident)
      if !isOver { after(.milliseconds(20)) { self.start() } }
    }

    func stop() { isOver = true }
  }

  /// Sends `request` once, of any size, for what is allocated once; then another time, watched.
  private func expectSmall(
    _ client: HttpClient, first: HttpRequest, _ request: HttpRequest, check: (HttpResponse) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    _ = try await client.send(first)
    let before = Self.resident
    let watch = Watch()
    await watch.start()
    let response = try await client.send(request)
    await watch.stop()
    check(response)
    let grown = await watch.most - before
    if !Self.isSanitized { #expect(grown < 8 << 20, "resident memory grew by \(grown) bytes", sourceLocation: sourceLocation) }
  }

  private func run(_ test: (HttpClient, _ url: String) async throws -> Void) async throws {
    let server = try await PythonPeer(Self.sink)
    defer { server.stop() }
    try await tlsScene {
      $0.timeouts.total = .seconds(280)
    } test: { client in
      try await test(client, "http://127.0.0.1:\(server.port)/")
    }
  }

  @Test func aFileOf2GiB() async throws {
    try await run { client, url in
      let directory = try TemporaryDirectory()
      let size = Self.isSanitized ? 256 << 20 : 2 << 30
      let file = HttpBody.file(try directory.sparse("large", size))
      let warm = HttpBody.file(try directory.sparse("small", 32 << 20))
      try await expectSmall(client, first: HttpRequest(url, body: warm), HttpRequest(url, body: file)) { #expect($0.text == "\(size)") }
    }
  }

  @Test func aFormWithLargeFiles() async throws {
    try await run { client, url in
      let directory = try TemporaryDirectory()
      let size = Self.isSanitized ? 64 << 20 : 512 << 20
      let part = MultipartPart.file("f", try directory.sparse("large", size))
      let warm = HttpBody.multipart([.file("f", try directory.sparse("small", 32 << 20))])
      try await expectSmall(client, first: HttpRequest(url, body: warm), HttpRequest(url, body: .multipart([part, part]))) {
        #expect((Int($0.text) ?? 0) > 2 * size)
      }
    }
  }

  /// Gives the same piece again and again, as fast as it is asked for it.
  private struct Pieces: AsyncSequence, AsyncIteratorProtocol {
    let piece: [UInt8]
    var left: Int

    mutating func next() async -> [UInt8]? {
      left -= 1
      return left >= 0 ? piece : nil
    }

    func makeAsyncIterator() -> Pieces { self }
  }

  @Test(arguments: [false, true]) func aStreamThatIsFasterThanTheNetwork(hasLength: Bool) async throws {
    try await run { client, url in
      let size = Self.isSanitized ? 64 << 20 : 1 << 30
      func body(_ size: Int) -> HttpBody {
        .stream(
          HttpBodyStream(length: hasLength ? Int64(size) : nil) {
            Pieces(piece: [UInt8](repeating: 1, count: 100_000), left: size / 100_000)
          })
      }
      let whole = size / 100_000 * 100_000
      try await expectSmall(client, first: HttpRequest(url, body: body(32_000_000)), HttpRequest(url, body: body(whole))) {
        if hasLength { #expect($0.text == "\(whole)") } else { #expect((Int($0.text) ?? 0) > whole) }
      }
    }
  }

  @Test func aFileOverHttp2() async throws {
    try await Http2RealPeer.with(.nghttpd) { peer in
      try await tlsScene {
        $0.timeouts.total = .seconds(280)
      } test: { client in
        let directory = try TemporaryDirectory()
        let size = Self.isSanitized ? 64 << 20 : 512 << 20
        let file = HttpBody.file(try directory.sparse("large", size))
        let warm = HttpBody.file(try directory.sparse("small", 32 << 20))
        try await expectSmall(client, first: peer.request("/small0", body: warm), peer.request("/small0", body: file)) {
          #expect($0.status == 200)
        }
      }
    }
  }
}
