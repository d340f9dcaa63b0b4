internal import Dispatch
public import EventLoop
import Glibc
public import HttpWire

/// Serves the files under a directory for GET and HEAD.
///
/// The media type follows from the extension, a directory stands for its `index.html`, what is missing is 404. Nothing outside of the root is
/// served: not by `..`, encoded or not, nor through a symbolic link that leads out. Files are read on threads of their own, piece by piece as
/// the peer takes them; one that is shortened meanwhile resets the connection.
@LoopActor
public final class FileHandler: ResponseHandler {
  public let priority: Int
  private let root: String
  private let prefix: String

  /// Answers for all paths under `prefix` with the files of the directory `root`.
  public init(root: String, prefix: String = "/", priority: Int = 0) {
    self.root = root
    self.prefix = prefix.hasSuffix("/") ? prefix : prefix + "/"
    self.priority = priority
  }

  public func decision(for head: RequestHead, path: String) -> HandlerDecision {
    guard path.utf8.starts(with: prefix.utf8) else { return .notMine }
    return head.method == .get || head.method == .head ? .handles : .wrongMethod(allow: [.get, .head])
  }

  public func handle(_ request: ServerRequest, _ responder: Responder) {
    guard let name = FileHandler.relativeName(String(request.path.dropFirst(prefix.count))) else {
      return FileHandler.refuse(responder, 404)
    }
    let root = self.root
    let isHead = request.head.method == .head
    FileReader.queue.async {
      let opened = FileReader.open(name, under: root, readsContent: !isHead)
      EventLoop.shared.enqueue { FileHandler.answer(opened, isHead: isHead, responder) }
    }
  }

  private static func answer(_ opened: Result<FileReader.Opened, SystemError>, isHead: Bool, _ responder: Responder) {
    switch opened {
    case .failure(let error): refuse(responder, error.errno == EACCES ? 403 : 404)
    case .success(let file):
      let headers: HttpHeaders = ["Content-Type": file.mediaType]
      if isHead {
        var headers = headers
        headers.set("Content-Length", "\(file.size)")
        responder.respond(status: 200, headers: headers)
      } else if file.descriptor < 0 {
        responder.respond(status: 200, headers: headers, body: file.start)
      } else {
        responder.startStream(status: 200, headers: headers, length: file.size, closesOnPeerEnd: false)
        FileStream(file, responder).begin()
      }
    }
  }

  private static func refuse(_ responder: Responder, _ status: Int) {
    let text = status == 403 ? "no permission to read this file\n" : "no such file\n"
    responder.respond(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
  }

  /// The decoded name below the root; nil for one that can't be there.
  static func relativeName(_ path: String) -> String? {
    var parts: [String] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      guard let part = try? FormEncoding.percentDecode(String(Substring(piece))) else { return nil }
      if part == "." { continue }
      guard part != "..", !part.utf8.contains(UInt8(ascii: "/")), !part.utf8.contains(0) else { return nil }
      parts.append(part)
    }
    return parts.joined(separator: "/")
  }
}

/// Hands a file on to a responder, a piece each time there is room.
@LoopActor
private final class FileStream {
  private let descriptor: Int32
  private var left: Int64
  private let responder: Responder
  private var isReading = false

  init(_ file: FileReader.Opened, _ responder: Responder) {
    descriptor = file.descriptor
    left = file.size
    self.responder = responder
  }

  func begin() {
    guard responder.isOpen else { return FileReader.close(descriptor) }
    responder.onDrain = { self.readOn() }
    // The reading thread closes the file, for it may be reading now.
    responder.onClose = { FileReader.close(self.descriptor) }
    readOn()
  }

  private func readOn() {
    guard responder.isOpen, !isReading else { return }
    guard left > 0 else { return responder.finish() }
    isReading = true
    let descriptor = self.descriptor
    let wanted = Int(min(left, Int64(FileReader.pieceBytes)))
    FileReader.streams.async {
      let piece = FileReader.read(descriptor, wanted)
      EventLoop.shared.enqueue { self.read(piece) }
    }
  }

  private func read(_ piece: [UInt8]) {
    isReading = false
    guard responder.isOpen else { return }
    guard !piece.isEmpty else { return responder.abort() }
    left -= Int64(piece.count)
    if responder.write(piece) || left == 0 { readOn() }
  }
}
