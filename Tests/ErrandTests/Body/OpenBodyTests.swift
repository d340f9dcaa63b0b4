import Glibc
import TestSupport
import Testing

@testable import Errand

@Suite(.timeLimit(.minutes(2))) struct OpenBodyTests {
  enum Kind: CaseIterable { case missing, missingDirectory, directory, pipe, device, unreadableName, empty, underAFile, loop, socket }

  private func path(_ kind: Kind, in directory: TemporaryDirectory) throws -> String {
    let path = directory.file("it")
    switch kind {
    case .missing: return path
    case .missingDirectory: return path + "/none"
    case .directory: return directory.path
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .device: return "/dev/zero"
    case .unreadableName: return try directory.write("it", [1]) + "\0hidden"
    case .empty: return ""
    case .underAFile: return try directory.write("it", [1]) + "/x"
    case .loop: #expect(symlink(path, path) == 0)
    case .socket:
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let isBound = withUnsafePointer(to: &address) {
        bind(descriptor, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_un>.size))
      }
      #expect(isBound == 0)
    }
    return path
  }

  @Test(arguments: Kind.allCases) func whatIsNoRegularFileIsRefusedAndNamed(kind: Kind) throws {
    let directory = try TemporaryDirectory()
    let path = try path(kind, in: directory)
    for isForm in [false, true] {
      do throws(HttpClientError) {
        _ = isForm ? try OpenBody([.file("a", path)]) : try OpenBody(file: path, contentType: nil)
        Issue.record("it was opened")
      } catch {
        #expect(error.code == .invalidRequest && error.field == "body")
        if kind != .unreadableName { #expect(error.message.contains(path)) }
        #expect(!error.message.utf8.contains(0))
      }
    }
  }

  @Test func aLinkIsFollowed() throws {
    let directory = try TemporaryDirectory()
    #expect(symlink(try directory.write("it", [1, 2, 3]), directory.file("link")) == 0)
    let body = try OpenBody(file: directory.file("link"), contentType: nil)
    #expect(body.length == 3)
  }

  @Test func aFilesTypeIsTheCallersOrThatOfItsName() throws {
    let directory = try TemporaryDirectory()
    for (name, type, expected) in [
      ("a.json", nil, "application/json"), ("a.JSON", nil, "application/json"), ("a.json", "x/y", "x/y"), ("a", nil, nil),
      ("a.qqq", nil, nil),
    ] as [(String, String?, String?)] {
      #expect(try OpenBody(file: try directory.write(name, [1]), contentType: type).contentType == expected, "\(name)")
    }
  }

  struct Part: CustomTestStringConvertible {
    let part: @Sendable (TemporaryDirectory) throws -> MultipartPart
    let head: String
    var testDescription: String { head }
  }

  static let parts = [
    Part(part: { _ in .value("n", "") }, head: #"name="n""#),
    Part(part: { _ in .data("n", []) }, head: #"name="n""#),
    Part(part: { _ in .data("n", [], contentType: "a/b") }, head: "name=\"n\"\r\nContent-Type: a/b"),
    Part(part: { _ in .data("n", [], filename: "x.png") }, head: "name=\"n\"; filename=\"x.png\"\r\nContent-Type: image/png"),
    Part(part: { _ in .data("n", [], filename: "x") }, head: "name=\"n\"; filename=\"x\"\r\nContent-Type: application/octet-stream"),
    Part(part: { _ in .data("n", [], filename: "x.png", contentType: "a/b") }, head: "name=\"n\"; filename=\"x.png\"\r\nContent-Type: a/b"),
    Part(part: { .file("n", try $0.write("a.txt", [])) }, head: "name=\"n\"; filename=\"a.txt\"\r\nContent-Type: text/plain"),
    Part(
      part: { .file("n", try $0.write("a.txt", []), filename: "b.png") }, head: "name=\"n\"; filename=\"b.png\"\r\nContent-Type: image/png"),
    Part(part: { .file("n", try $0.write("a.txt", []), filename: "b") }, head: "name=\"n\"; filename=\"b\"\r\nContent-Type: text/plain"),
    Part(
      part: { .file("n", try $0.write("a.qqq", []), filename: "b") },
      head: "name=\"n\"; filename=\"b\"\r\nContent-Type: application/octet-stream"),
    Part(part: { .file("n", try $0.write("a.txt", []), contentType: "a/b") }, head: "name=\"n\"; filename=\"a.txt\"\r\nContent-Type: a/b"),
    Part(
      part: { .file("n", try $0.write("a.txt", []), filename: "b.png", contentType: "a/b") },
      head: "name=\"n\"; filename=\"b.png\"\r\nContent-Type: a/b"),
    Part(
      part: { .file("n", try $0.write(" \"quoted\".txt", [])) },
      head: "name=\"n\"; filename=\" %22quoted%22.txt\"\r\nContent-Type: text/plain"),
    Part(
      part: {
        var part = MultipartPart.file("n", try $0.write("a.txt", []))
        part.filename = nil
        return part
      }, head: #"name="n""#),
  ]

  @Test(arguments: parts) func aPartHasNameFileNameAndType(part: Part) throws {
    let directory = try TemporaryDirectory()
    let body = try OpenBody([try part.part(directory)], boundary: "B")
    #expect(body.contentType == "multipart/form-data; boundary=B")
    var bytes: [UInt8] = []
    for case .bytes(let more) in body.segments { bytes += more }
    #expect(String(decoding: bytes, as: UTF8.self) == "--B\r\nContent-Disposition: form-data; \(part.head)\r\n\r\n\r\n--B--\r\n")
    #expect(body.length == Int64(bytes.count))
  }

  @Test func aBadContentTypeIsAnInvalidRequest() throws {
    do throws(HttpClientError) {
      _ = try OpenBody([.data("it", [], contentType: "a/b\r\nX: y")])
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .invalidRequest && error.field == "body" && error.message.contains("\"it\""))
    }
  }

  @Test func filesOpenedBeforeOneThatCannotBeAreClosed() async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("a", [1])
    #expect(throws: HttpClientError.self) { try OpenBody([.file("a", path), .file("b", path), .file("c", directory.file("none"))]) }
    try await waitUntil("closed files") { Descriptors.open(at: path) == 0 }
  }

  @Test func boundariesAreNeverTheSame() {
    let boundaries = Set((0..<1_000).map { _ in OpenBody.randomBoundary() })
    #expect(boundaries.count == 1_000)
    #expect(boundaries.allSatisfy { $0.utf8.count <= 40 })
  }

  @Test func theSystemsTableIsReadAndAMissingOneIsEmpty() throws {
    let directory = try TemporaryDirectory()
    #expect(SystemMimeTypes.content(of: directory.file("none")) == [])
    #expect(SystemMimeTypes.content(of: directory.path) == [])
    #expect(SystemMimeTypes.content(of: try directory.sparse("huge", 2_000_000)) == [])
    #expect(SystemMimeTypes.content(of: try directory.write("table", Array("a/b c\n".utf8))) == Array("a/b c\n".utf8))
    #expect(SystemMimeTypes.shared.type(forExtension: "json") == "application/json")
  }
}
