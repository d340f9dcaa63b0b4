import EventLoop
import TestSupport
import Testing

@testable import Errand

/// The kinds of bodies, with what a server must get of each.
enum UploadKind: CaseIterable {
  case bytes, file, emptyFile, stream, streamWithLength, streamOnce, form, formWithFiles

  /// It can be sent again.
  var isReplayable: Bool { self != .streamOnce }
  var hasFiles: Bool { self == .file || self == .emptyFile || self == .formWithFiles }
  var isStream: Bool { self == .stream || self == .streamWithLength || self == .streamOnce }
  var hasLength: Bool { self != .stream && self != .streamOnce }

  static let large = allCases.filter { $0 != .emptyFile }
}

/// A body of one kind.
struct Upload: Sendable {
  let kind: UploadKind
  let content: [UInt8]
  let directory: TemporaryDirectory
  /// Iterations of its stream that were let go.
  let ended = Record<Bool>("ends of streams")

  init(_ kind: UploadKind, size: Int = 600_000) throws {
    self.kind = kind
    content = kind == .emptyFile ? [] : pattern(size)
    directory = try TemporaryDirectory()
    if kind.hasFiles { try directory.write("upload.json", content) }
  }

  var path: String { directory.file("upload.json") }

  private var parts: [MultipartPart] {
    let file: MultipartPart =
      kind == .form ? .data("f\"", content, filename: "upload.json", contentType: "application/json") : .file("f\"", path)
    return [.value("über", "ä\r\n"), file, .value("last", "")]
  }

  /// To be asked for once.
  var body: HttpBody {
    let pieces = stride(from: 0, to: content.count, by: 70_000).map { Array(content[$0..<min(content.count, $0 + 70_000)]) }
    let make = { @Sendable in TrackedPieces(pieces: pieces, ended: ended) }
    return switch kind {
    case .bytes: .bytes(content)
    case .file, .emptyFile: .file(path)
    case .stream: .stream(HttpBodyStream(contentType: "x/y", make))
    case .streamWithLength: .stream(HttpBodyStream(length: Int64(content.count), make))
    case .streamOnce: .stream(HttpBodyStream(once: make()))
    case .form, .formWithFiles: .multipart(parts)
    }
  }

  /// What the server got, whole.
  func expect(_ field: (String) -> String?, _ body: [UInt8], _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    let type = field("content-type")
    switch kind {
    case .bytes, .streamWithLength, .streamOnce: #expect(type == nil, sourceLocation: sourceLocation)
    case .file, .emptyFile: #expect(type == "application/json", sourceLocation: sourceLocation)
    case .stream: #expect(type == "x/y", sourceLocation: sourceLocation)
    case .form, .formWithFiles:
      let boundary = String(decoding: body.dropFirst(2).prefix { $0 != 0x0D }, as: UTF8.self)
      #expect(type == "multipart/form-data; boundary=\(boundary)", sourceLocation: sourceLocation)
    }
    #expect(field("content-length") == (kind.hasLength ? String(body.count) : nil), sourceLocation: sourceLocation)
    expect(body, sourceLocation)
  }

  /// The same of the body alone.
  func expect(_ body: [UInt8], _ sourceLocation: SourceLocation = #_sourceLocation) {
    var expected = content
    if kind == .form || kind == .formWithFiles {
      let boundary = String(decoding: body.dropFirst(2).prefix { $0 != 0x0D }, as: UTF8.self)
      #expect(boundary.utf8.count > 20, sourceLocation: sourceLocation)
      expected = [UInt8](
        """
        --\(boundary)\r\nContent-Disposition: form-data; name="über"\r\n\r\nä\r\n\r
        --\(boundary)\r\nContent-Disposition: form-data; name="f%22"; filename="upload.json"\r\nContent-Type: application/json\r\n\r\n
        """.utf8)
      expected += content
      expected += Array("\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n\r\n--\(boundary)--\r\n".utf8)
    }
    #expect(body.count == expected.count && body == expected, "\(body.count) of \(expected.count) bytes", sourceLocation: sourceLocation)
  }

  /// Its files are closed and its tasks have ended.
  func expectLetGo(streams: Int = 1, _ sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let path = path
    try await waitUntil("closed files") { Descriptors.open(at: path) == 0 }
    if kind.isStream { try await ended.wait { $0.count >= streams } }
  }
}

/// A sequence of pieces that tells when an iteration of it is let go.
struct TrackedPieces: AsyncSequence, Sendable {
  let pieces: [[UInt8]]
  let ended: Record<Bool>

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>
    let life: Life

    mutating func next() async -> [UInt8]? { rest.popFirst() }
  }

  final class Life: Sendable {
    private let ended: Record<Bool>
    init(_ ended: Record<Bool>) { self.ended = ended }
    deinit { ended.add(true) }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: pieces[...], life: Life(ended)) }
}

extension HttpRequest {
  /// `PUT` of an upload.
  static func put(_ url: String, _ upload: Upload, headers: HttpHeaders = [:]) -> HttpRequest {
    HttpRequest(url, method: .put, headers: headers, body: upload.body)
  }
}

extension Upload {
  func expect(_ request: SeenRequest, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      request.head.headers["Transfer-Encoding"] == (kind.hasLength ? nil : "chunked"), sourceLocation: sourceLocation)
    try expect({ request.head.headers[$0] }, request.body, sourceLocation)
  }

  func expect(_ request: Http2Request, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(request["transfer-encoding"] == nil, sourceLocation: sourceLocation)
    try expect({ request[$0] }, request.body, sourceLocation)
  }
}
