internal import EventLoop
internal import HttpWire

/// One request's download, on the loop.
@LoopActor
final class DownloadTransfer: BodyTaker {
  enum Stage {
    /// What is there is looked for.
    case looking
    case asking
    /// All has come, and is put in its place.
    case finishing
  }

  let download: Download
  let file: DownloadFile
  /// As it was asked for.
  let url: String
  /// The caller's request asks for a range itself.
  let hasOwnRange: Bool
  var asked = DownloadRules.Asked.whole
  var stage = Stage.looking
  /// Of what is written now; nil before.
  private(set) var place: DownloadPlace?
  /// Where in the file the response begins.
  private(set) var offset: Int64 = 0
  private(set) var total: Int64?
  /// Of this response.
  private(set) var received: Int64 = 0
  private(set) var written: Int64 = 0
  private var meter: ProgressMeter?
  /// The body says nothing about the file.
  private var isIgnoring = false
  private let engine: RequestEngine

  init(_ download: Download, _ request: HttpRequest, url: String, _ engine: RequestEngine) {
    self.download = download
    self.url = url
    self.engine = engine
    hasOwnRange = request.headers.contains("Range")
    file = DownloadFile(download)
  }

  var mayStartAnew: Bool { true }
  var takesSuccess: Bool { true }
  /// Where its part is kept; nil if none is.
  var part: String? { download.resumes ? download.place()?.part : nil }

  /// A body begins.
  func begin(at place: DownloadPlace, offset: Int64, total: Int64?) {
    (self.place, self.offset, self.total) = (place, offset, total)
    (received, written, isIgnoring) = (0, 0, false)
    meter = ProgressMeter(from: offset, total: total, at: EventLoop.shared.now)
  }

  /// A body begins that says nothing about the file, which is there already.
  func ignoreBody(at place: DownloadPlace, size: Int64) {
    begin(at: place, offset: size, total: size)
    isIgnoring = true
  }

  func take(_ bytes: UnsafeRawBufferPointer, of item: RequestItem) {
    if isIgnoring { return }
    received += Int64(bytes.count)
    let (end, overflow) = offset.addingReportingOverflow(received)
    if overflow || end > download.maxBytes ?? .max { return engine.tooLarge(self, item) }
    let piece = [UInt8](bytes)
    let handle = item.info.handle
    file.run(adds: true) { (file, _) throws(HttpClientError) in
      try file.write(piece)
      return piece.count
    } then: { [self] in
      engine.wrote($0, self, handle)
    }
    item.holds(bytes.count)
  }

  func wrote(_ count: Int) {
    written += Int64(count)
  }

  /// How much of the file is there.
  var reached: Int64 { offset + written }

  /// Whether as much has come as was to come.
  var isWhole: Bool { total.map { $0 == offset + received } ?? true }

  /// nil if it is too soon to tell it again.
  func progress(isLast: Bool = false) -> TransferProgress? {
    meter?.reached(reached, at: EventLoop.shared.now, isLast: isLast)
  }

  var result: DownloadedFile? {
    place.map { DownloadedFile(path: $0.target, byteCount: offset + received, resumedFrom: offset) }
  }

  /// What it does while nothing of it is sent or received; nil if that is not its own.
  var explanation: String? {
    switch stage {
    case .looking: "looks at what is there of its file"
    case .finishing: "has come whole, and its file is put in its place"
    case .asking: nil
    }
  }
}
