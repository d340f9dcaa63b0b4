internal import EventLoop
internal import Glibc
internal import Hashing

/// A download's file while it comes: temporary, or a part that is gone on with. Every call may block: not for the loop.
struct PartialFile {
  /// What the loop knows as the body begins.
  struct Start: Sendable {
    let place: DownloadPlace
    let offset: Int64
    /// Nothing is to be added.
    var isThere = false
    /// What is known of the file, for a later request to go on with it.
    let record: PartRecord?
    let checksums: [Checksum]
  }

  private enum Kind {
    case temporary
    case part
    /// What was at the target before: not ours to remove.
    case target
    /// The same under the part's name.
    case movedTarget
  }

  private let download: Download
  private var place: DownloadPlace?
  private var kind = Kind.temporary
  private var descriptor: Int32 = -1
  /// Of what is open.
  private var path = ""
  private var record: PartRecord?
  private(set) var size: Int64 = 0
  /// Of a target that was there before.
  private var sizeBefore: Int64 = 0
  private var hashes: [(checksum: Checksum, stream: HashStream)] = []
  /// Something of it was written, or is to be.
  private var isBegun = false

  init(_ download: Download) {
    self.download = download
    place = download.place()
  }

  var isOpen: Bool { descriptor >= 0 }

  // MARK: Before the request

  /// Finds out what is there, and so what to ask for.
  mutating func look(url: String, mayResume: Bool) throws(HttpClientError) -> DownloadRules.Asked {
    if isBegun || isOpen { return rest() }
    guard let place else {
      guard case .directory(let directory) = download.target else { return .whole }
      guard let status = try FileCalls.status(directory) else { throw FileCalls.failure(directory, "stat", ENOENT) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw FileCalls.failure(directory, "stat", ENOTDIR) }
      return .whole
    }
    try checkTarget(place)
    guard download.resumes, mayResume else { return .whole }
    if let found = try FileCalls.claim(place.part, followsLink: false) {
      (descriptor, path, kind) = (found, place.part, .part)
      size = Int64(try FileCalls.status(found, path).st_size)
      let bytes = try? WholeFile.read(place.record, limit: 65_536)
      record = bytes.flatMap(PartRecord.init(json:)).flatMap { $0.url == url && size <= $0.total ?? .max ? $0 : nil }
      return size > 0 && record != nil ? .rest(from: size, record) : .whole
    }
    guard let found = try FileCalls.claim(place.target, followsLink: true) else { return .whole }
    (descriptor, path, kind) = (found, place.target, .target)
    size = Int64(try FileCalls.status(found, path).st_size)
    return size > 0 ? .rest(from: size, nil) : .whole
  }

  private func rest() -> DownloadRules.Asked {
    guard download.resumes, size > 0, record != nil || kind == .movedTarget || kind == .target else { return .whole }
    return .rest(from: size, record)
  }

  private func checkTarget(_ place: DownloadPlace) throws(HttpClientError) {
    guard let status = try FileCalls.status(place.target) else { return }
    guard FileCalls.isRegular(status) else { throw FileCalls.failure("\(place.target) is there and not a regular file") }
    guard download.replaces else { throw FileCalls.exists(place) }
  }

  // MARK: While it comes

  mutating func begin(_ start: Start) throws(HttpClientError) {
    place = start.place
    if start.isThere {
      try checkSize(start)
    } else if start.offset == 0 {
      try checkTarget(start.place)
      try openEmpty(start.place)
      try keep(start.record, start.place)
    } else {
      try checkSize(start)
      try goOn(start.place, start.record)
    }
    isBegun = true
    hashes = start.checksums.map { ($0, HashStream($0.algorithm)) }
  }

  private mutating func openEmpty(_ place: DownloadPlace) throws(HttpClientError) {
    // What the user has stays as it is until there is something better.
    if kind == .target { close() }
    if kind == .movedTarget { giveBack(place) }
    if !isOpen {
      path = download.resumes ? place.part : place.temporary()
      descriptor = try FileCalls.create(path)
      kind = download.resumes ? .part : .temporary
      if kind == .part { try FileCalls.lock(descriptor, path) }
    }
    // First the record: bytes that it does not belong to must never stand under it.
    if kind == .part { unlink(place.record) }
    try FileCalls.truncate(descriptor, path)
    size = 0
  }

  private func checkSize(_ start: Start) throws(HttpClientError) {
    guard isOpen, start.offset == size, Int64(try FileCalls.status(descriptor, path).st_size) == size else {
      throw FileCalls.failure("\(path.isEmpty ? start.place.part : path) was changed by somebody else")
    }
  }

  private mutating func goOn(_ place: DownloadPlace, _ record: PartRecord?) throws(HttpClientError) {
    guard kind == .target else { return }
    sizeBefore = size
    guard rename(path, place.part) == 0 else { throw FileCalls.failure(place.part, "rename") }
    (kind, path) = (.movedTarget, place.part)
    try keep(record, place)
  }

  private mutating func keep(_ record: PartRecord?, _ place: DownloadPlace) throws(HttpClientError) {
    self.record = record
    guard download.resumes, let record else { return }
    do throws(SystemError) {
      try WholeFile.write(record.json, to: place.record)
    } catch {
      throw FileCalls.failure("\(place.record): \(error)")
    }
  }

  mutating func write(_ bytes: [UInt8]) throws(HttpClientError) {
    guard isOpen else { return }
    try FileCalls.write(bytes, descriptor, at: size, path)
    size += Int64(bytes.count)
    for hash in hashes { hash.stream.update(bytes) }
  }

  /// Hashes what was there before. `isUnwanted` is asked now and then.
  func hashWhatIsThere(_ isUnwanted: () -> Bool) throws(HttpClientError) {
    guard !hashes.isEmpty, size > 0 else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 262_144, alignment: 64)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < size, !isUnwanted() {
      let count = pread(descriptor, buffer.baseAddress, Int(min(Int64(buffer.count), size - offset)), off_t(offset))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileCalls.failure(path, "read", count == 0 ? EIO : errno) }
      for hash in hashes { hash.stream.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      offset += Int64(count)
    }
  }

  // MARK: The end

  /// All bytes are there: checks them and puts the file in its place.
  mutating func finish() throws(HttpClientError) {
    guard isOpen, let place else { return }
    for hash in hashes {
      guard let found = Checksum(hash.checksum.algorithm, hash.stream.finish()) else {
        throw FileCalls.failure("\(hash.checksum.algorithm) is not to be had on this system")
      }
      guard found == hash.checksum else {
        record = nil
        // What was there before is not made worse.
        if kind == .movedTarget { ftruncate(descriptor, off_t(sizeBefore)) }
        let words = "\(place.target) would have \(found), and was to have \(hash.checksum)"
        throw HttpClientError(.checksum, phase: .response, message: words, sent: .sent)
      }
    }
    guard kind != .target else { return close() }
    try FileCalls.put(descriptor, path, at: place, replaces: download.replaces)
    if download.resumes { unlink(place.record) }
    close()
  }

  /// Nothing more comes: what may be gone on with stays, the rest goes.
  mutating func discard() {
    guard isOpen else { return }
    defer { close() }
    guard isBegun, let place else { return }
    switch kind {
    case .target: break
    case .temporary: unlink(path)
    case .movedTarget where record == nil: giveBack(place)
    case .part, .movedTarget:
      guard record == nil || size == 0 else { return }
      unlink(place.record)
      unlink(path)
    }
  }

  private mutating func giveBack(_ place: DownloadPlace) {
    unlink(place.record)
    rename(path, place.target)
    close()
  }

  private mutating func close() {
    if isOpen { Glibc.close(descriptor) }
    (descriptor, kind, path) = (-1, .temporary, "")
  }
}
