internal import Dispatch
internal import EventLoop
internal import HttpWire

/// Answers one request for a `data:` or `file:` URL as a server would, a piece each time there is room. What touches the disk, and what takes
/// time, is done on threads of its own.
@LoopActor
final class LocalConnection: HttpConnection {
  var standing = ConnectionStanding.busy
  let isShared = false
  private let source: LocalSource
  private let engine: RequestEngine
  private var item: RequestItem?
  private var isPaused = false
  /// A thread is at work for it.
  private var isReading = false
  private var file: LocalFile?
  private var bytes: [UInt8] = []
  private var size: Int64 = 0
  private var offset: Int64 = 0

  private static let pieceBytes: Int64 = 262_144

  init(_ source: LocalSource, engine: RequestEngine) {
    self.source = source
    self.engine = engine
  }

  // No pool ever has one of these.
  var facts: ConnectionFacts { ConnectionFacts(id: 0, address: .loopback(port: 0)) }
  var host: HostPool { HostPool(origin: LocalConnection.origin, admissionIndex: -1) }
  var load: Int { item == nil ? 0 : 1 }
  func rest() {}
  func close() { drop() }

  nonisolated static let origin = Origin(host: "", options: nil, port: 0, isSecure: false)

  func begin(_ item: RequestItem) {
    self.item = item
    engine.wrote(item, isWhole: true, bodyBefore: 0)
    guard self.item === item else { return }
    isReading = true
    let source = self.source
    LocalFile.queue.async {
      let content = LocalContent(source)
      EventLoop.shared.enqueue { self.opened(content) }
    }
  }

  func leave(_ item: RequestItem, isWhole: Bool) { drop() }

  func pause(_ item: RequestItem) { isPaused = true }
  func isPaused(_ item: RequestItem) -> Bool { isPaused }

  func resume(_ item: RequestItem) {
    isPaused = false
    pump()
  }

  private func opened(_ content: LocalContent) {
    isReading = false
    if case .file(let file, _) = content { self.file = file }
    guard let item else { return drop() }
    item.touched()
    switch content {
    case .malformed(let error): engine.unsendable(item, error.message)
    case .refused(let refusal):
      bytes = Array((refusal.words + "\n").utf8)
      answer(item, refusal.status, "text/plain; charset=utf-8", Int64(bytes.count))
    case .bytes(let bytes, let mediaType):
      self.bytes = bytes
      answer(item, 200, mediaType, Int64(bytes.count))
    case .file(let file, let mediaType):
      answer(item, 200, mediaType, file.size, modified: file.modified)
    }
  }

  private func answer(_ item: RequestItem, _ status: Int, _ mediaType: String, _ size: Int64, modified: Int64? = nil) {
    self.size = size
    var head = ResponseHead(
      status: status, reason: ResponseWriter.reasonPhrase(status), headers: ["Content-Type": mediaType, "Content-Length": "\(size)"])
    if let modified { head.headers.append("Last-Modified", HttpDate.text(modified)) }
    engine.receivedHead(item, head, contentLength: size)
    guard self.item === item else { return }
    engine.readSoFar(item)
    if item.method == .head { offset = size }
    pump()
  }

  private func pump() {
    // What is in memory may not hold the loop either.
    var budget = 4
    while let item, !isPaused, !isReading {
      if offset >= size { return engine.completed(item, isReusable: true, lengthUnknown: false) }
      let wanted = min(LocalConnection.pieceBytes, size - offset)
      if let file {
        isReading = true
        let offset = self.offset
        LocalFile.queue.async {
          let piece = Result { () throws(SystemError) in try file.read(Int(wanted), from: offset) }
          EventLoop.shared.enqueue { self.read(piece) }
        }
      } else if budget == 0 {
        isReading = true
        EventLoop.shared.enqueue {
          self.isReading = false
          self.pump()
        }
      } else {
        budget -= 1
        let start = Int(offset)
        take(bytes[start..<(start + Int(wanted))], for: item)
      }
    }
  }

  private func read(_ piece: Result<[UInt8], SystemError>) {
    isReading = false
    guard let item else { return drop() }
    switch piece {
    case .failure(let error): engine.lost(item, "the file can't be read on: \(error)")
    case .success(let piece) where piece.isEmpty: engine.lost(item, "the file was shortened while it was read")
    case .success(let piece):
      take(piece[...], for: item)
      pump()
    }
  }

  private func take(_ piece: ArraySlice<UInt8>, for item: RequestItem) {
    offset += Int64(piece.count)
    item.touched()
    piece.withUnsafeBytes { engine.receivedBody(item, $0) }
    if self.item === item { engine.readSoFar(item) }
  }

  /// Its request is over, or was before it was answered. A file that is being read is closed afterwards.
  private func drop() {
    item = nil
    bytes = []
    guard let file, !isReading else { return }
    self.file = nil
    LocalFile.queue.async { file.close() }
  }
}
