internal import EventLoop
internal import Glibc
internal import HttpWire

/// Responses whose bodies go to files.
extension RequestEngine {
  // MARK: What is asked for

  /// Before anything is sent, or sent again, it is looked at what is there of the file. False: there is none to look at.
  func looksForFile(_ item: RequestItem) -> Bool {
    guard let download = item.rules.download else { return false }
    let request = conversation(of: item).request
    let transfer: DownloadTransfer
    if let known = item.download {
      transfer = known
    } else {
      transfer = DownloadTransfer(download, request, url: item.info.url, self)
      item.download = transfer
      openDownloads += 1
    }
    transfer.stage = .looking
    apply(item.machine.setAside(), to: item)
    let handle = item.info.handle
    let isWaiting = transfer.part.map { closingParts.wait($0) { [self] in look(transfer, handle) } } ?? false
    if !isWaiting { look(transfer, handle) }
    return true
  }

  private func look(_ transfer: DownloadTransfer, _ handle: RequestHandle) {
    let (url, mayResume) = (transfer.url, !transfer.hasOwnRange)
    transfer.file.run { (file, _) throws(HttpClientError) in
      try file.look(url: url, mayResume: mayResume)
    } then: { [self] in
      looked($0, transfer, handle)
    }
  }

  private func looked(_ result: Result<DownloadRules.Asked, HttpClientError>, _ transfer: DownloadTransfer, _ handle: RequestHandle) {
    guard let item = table[handle], case .preparing = item.machine.state else { return }
    transfer.stage = .asking
    let asked: DownloadRules.Asked
    switch result {
    case .success(let found): asked = transfer.hasOwnRange ? .ownRange : found
    case .failure(let error): return apply(item.machine.refused(error.code, .request, error.message), to: item)
    }
    let before = transfer.asked
    transfer.asked = asked
    if case .rest = asked {
    } else if before == asked || asked == .ownRange {
      return ask(item)
    }
    ask(item, for: asked)
  }

  private func ask(_ item: RequestItem, for asked: DownloadRules.Asked) {
    var request = conversation(of: item).request
    request.headers.remove("Range")
    request.headers.remove("If-Range")
    if case .rest(let from, let record) = asked {
      request.headers.set("Range", "bytes=\(from)-")
      if let record { request.headers.set("If-Range", record.validator) }
    }
    prepare(request, for: item.info.handle)
  }

  /// The answer was of no use, and its connection is given up.
  func askFromStart(_ item: RequestItem) {
    guard let transfer = item.download else { return }
    item.add("restart", "\(item.head?.status ?? 0) does not go on with what is there of the file")
    transfer.asked = .whole
    ask(item, for: .whole)
  }

  // MARK: What comes

  /// The head of a response that is the last came. True if it can't be taken as it is.
  func directs(_ item: RequestItem, _ transfer: DownloadTransfer, _ head: ResponseHead, contentLength: Int64?) -> Bool {
    let now = Int64(time(nil))
    let rules = DownloadRules(asked: transfer.asked, acceptStatus: item.rules.normalizer.acceptStatus)
    switch rules.decide(head, contentLength: contentLength, now: now) {
    case .pass: return false
    case .malformed(let words): apply(item.machine.responseFailed(.malformedResponse, words), to: item)
    case .fromStart: item.followUp = .fromStart
    case .isWhole(let size): return isThere(item, transfer, size)
    case .write(let offset, let total): return begin(item, transfer, head, offset, total, now)
    }
    return true
  }

  private func begin(
    _ item: RequestItem, _ transfer: DownloadTransfer, _ head: ResponseHead, _ offset: Int64, _ total: Int64?, _ now: Int64
  ) -> Bool {
    let download = transfer.download
    let isDecoded = download.undoesCoding && head.headers.hasContentCoding
    let total = isDecoded ? nil : total
    guard total ?? 0 <= download.maxBytes ?? .max else {
      tooLarge(transfer, item)
      return true
    }
    guard let url = try? HttpUrl(conversation(of: item).url), let place = download.place(named: head.headers.suggestedFileName(url: url))
    else { return false }
    var checksums = download.checksum.map { [$0] } ?? []
    if !isDecoded, transfer.asked != .ownRange, let digest = head.headers.reprDigests.first,
      let checksum = Checksum(digest.algorithm, digest.value), !checksums.contains(checksum)
    {
      checksums.append(checksum)
    }
    var record: PartRecord?
    if download.resumes, transfer.asked != .ownRange {
      record = PartRecord.validator(of: head.headers, now: now).map { PartRecord(url: transfer.url, validator: $0, total: total) }
      if case .rest(_, let known?) = transfer.asked, offset > 0 { record = known }
    }
    transfer.begin(at: place, offset: offset, total: total)
    start(item, transfer, PartialFile.Start(place: place, offset: offset, record: record, checksums: checksums))
    return false
  }

  /// The file was whole before.
  private func isThere(_ item: RequestItem, _ transfer: DownloadTransfer, _ size: Int64) -> Bool {
    guard let place = transfer.download.place() else { return false }
    transfer.ignoreBody(at: place, size: size)
    let checksums = transfer.download.checksum.map { [$0] } ?? []
    start(item, transfer, PartialFile.Start(place: place, offset: size, isThere: true, record: nil, checksums: checksums))
    return false
  }

  private func start(_ item: RequestItem, _ transfer: DownloadTransfer, _ start: PartialFile.Start) {
    let handle = item.info.handle
    item.taker = transfer
    transfer.file.run(adds: true) { (file, isUnwanted) throws(HttpClientError) in
      try file.begin(start)
      try file.hashWhatIsThere(isUnwanted)
      return 0
    } then: { [self] in
      wrote($0, transfer, handle)
    }
  }

  /// The disk has taken a piece, or not.
  func wrote(_ result: Result<Int, HttpClientError>, _ transfer: DownloadTransfer, _ handle: RequestHandle) {
    guard let item = table[handle] else { return }
    switch result {
    case .failure(let error): apply(item.machine.refused(error.code, .response, error.message), to: item)
    case .success(let count):
      item.untaken -= count
      transfer.wrote(count)
      resumeIfRoom(item)
      if item.interests.contains(.downloadProgress), item.taker === transfer, let progress = transfer.progress() {
        send(.progress(progress), to: item)
      }
    }
  }

  func tooLarge(_ transfer: DownloadTransfer, _ item: RequestItem) {
    let limit = transfer.download.maxBytes ?? .max
    apply(item.machine.refused(.tooLarge, .response, "the file is larger than \(limit) bytes (limit max_bytes of the download)"), to: item)
  }

  // MARK: The end

  /// The response is whole: the request ends when its file is in its place.
  func finish(_ transfer: DownloadTransfer, _ item: RequestItem, isReusable: Bool) {
    guard transfer.isWhole else {
      return lost(item, "the server sent \(transfer.received) bytes, and was to send \((transfer.total ?? 0) - transfer.offset)")
    }
    transfer.stage = .finishing
    let handle = item.info.handle
    apply(item.machine.followed(isReusable: isReusable), to: item)
    transfer.file.run { (file, isUnwanted) throws(HttpClientError) in
      if !isUnwanted() { try file.finish() }
    } then: { [self] in
      finished($0, transfer, handle)
    }
  }

  private func finished(_ result: Result<Void, HttpClientError>, _ transfer: DownloadTransfer, _ handle: RequestHandle) {
    guard let item = table[handle], case .preparing = item.machine.state else { return }
    switch result {
    case .success:
      item.file = transfer.result
      if item.interests.contains(.downloadProgress), let progress = transfer.progress(isLast: true) { send(.progress(progress), to: item) }
      apply(item.machine.answered(), to: item)
    case .failure(let error):
      apply(item.machine.refused(error.code, .response, error.message), to: item)
    }
  }

  /// The request has ended, however.
  func close(_ transfer: DownloadTransfer) {
    let part = transfer.part
    if let part { closingParts.begin(part) }
    transfer.file.giveUp { [self] in
      openDownloads -= 1
      for body in part.map({ closingParts.end($0) }) ?? [] { body() }
      tellIfEmpty()
    }
  }
}
