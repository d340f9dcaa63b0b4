import Glibc
internal import Hashing
internal import HttpWire

extension CacheDirectory {
  enum Found {
    case entry(CacheEntry)
    case missing
    /// The file does not hold what was written under its name.
    case damaged
  }

  /// Reads an entry, and marks it as used. A file that is longer than `limit` is not read.
  func read(_ name: CacheFileName, limit: Int64) throws(Failure) -> Found {
    let file = openat(descriptor, name.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return .missing }
      throw Failure(errno: errno, "open")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw Failure(errno: errno, "fstat") }
    let length = Int64(status.st_size)
    guard length <= limit, let prologue = try Self.read(file, CacheRecord.prologueCount),
      let lengths = prologue.withUnsafeBytes({ CacheRecord.lengths(prologue: $0) }),
      length == Int64(CacheRecord.prologueCount) + Int64(lengths.head) + Int64(lengths.body) + Int64(CacheDigest.byteCount),
      let head = try Self.read(file, lengths.head), let body = try Self.read(file, lengths.body),
      let checksum = try Self.read(file, CacheDigest.byteCount)
    else { return .damaged }
    let hash = HashStream(.sha256)
    for part in [prologue, head, body] { hash.update(part) }
    guard hash.finish() == checksum, let record = head.withUnsafeBytes({ CacheRecord(head: $0, body: body) }),
      CacheFileName(key: record.key, variant: record.entry.variant) == name
    else { return .damaged }
    Self.markAsUsed(file)
    return .entry(record.entry)
  }

  /// The names in the Vary of an entry; nil if they can't be read. What the rest of the file is worth shows when it is read.
  func fields(of name: CacheFileName) -> [String]? {
    guard name.hasFields else { return [] }
    let file = openat(descriptor, name.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var start = [UInt8](repeating: 0, count: CacheRecord.prologueCount + CacheRecord.namesCount)
    let count = pread(file, &start, start.count, 0)
    guard count > CacheRecord.prologueCount else { return nil }
    let names = start[CacheRecord.prologueCount..<count].withUnsafeBytes { CacheRecord.names(head: $0) }
    guard let names, CacheFileName(key: names.key, variant: names.variant) == name else { return nil }
    return names.variant.fields
  }

  /// The next bytes of a file; nil if there are fewer.
  private static func read(_ file: Int32, _ count: Int) throws(Failure) -> [UInt8]? {
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        let got = Glibc.read(file, base + filled, count - filled)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { break }
        filled += got
      }
    }
    guard failure == 0 else { throw Failure(errno: failure, "read") }
    return bytes.count == count ? bytes : nil
  }
}
