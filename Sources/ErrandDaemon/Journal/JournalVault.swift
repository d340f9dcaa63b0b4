internal import EventLoop
import Glibc
internal import Hashing

/// Seals what the journal keeps, and puts what is large into files of its own beside the database. Blocks: not for the loop.
final class JournalVault {
  /// What a text is, as a bit of a row's `files`.
  enum Kind: Int64, CaseIterable {
    case submission = 1
    case frame = 2
    case result = 4
    case body = 8
    case settings = 16
  }

  /// Which text of the journal it is; for a submission `a` is the handle, for the others the mailbox, and `b` the event.
  struct Place {
    let kind: Kind
    let a: Int64
    var b: Int64 = 0

    /// Of its file, if it is one.
    var name: String { "\(kind)-\(a)-\(b)" }

    /// What it is sealed for.
    var context: [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(24)
      for part in [kind.rawValue, a, b] { withUnsafeBytes(of: part.littleEndian) { bytes.append(contentsOf: $0) } }
      return bytes
    }
  }

  private static let contentLimit = 1 << 32

  let directory: String
  private let sealer: Sealer
  private let inlineBytes: Int

  /// `directory`: where files go; it is made if need be. `keyPath`: the key; made if need be, unless `needsKey`: then something is sealed already.
  init(directory: String, keyPath: String, inlineBytes: Int, needsKey: Bool) throws(JournalFault) {
    self.directory = directory
    self.inlineBytes = inlineBytes
    if mkdir(directory, 0o700) != 0, errno != EEXIST {
      throw JournalFault("can't make \(directory): \(SystemError(errno: errno, call: "mkdir").reason)", isLasting: false)
    }
    guard let sealer = Sealer(key: try JournalVault.key(keyPath, needsKey: needsKey)) else {
      throw JournalFault("\(keyPath) holds no key of \(Sealer.keyBytes) bytes", isLasting: true)
    }
    self.sealer = sealer
  }

  /// What goes into the row: the sealed text, or nothing if it is a file.
  func store(_ plain: [UInt8], at place: Place) throws(JournalFault) -> (bytes: [UInt8], isFile: Bool) {
    guard let sealed = sealer.seal(plain, context: place.context) else {
      throw JournalFault("can't seal \(place.name)", isLasting: false)
    }
    guard sealed.count > inlineBytes else { return (sealed, false) }
    do throws(SystemError) {
      try WholeFile.write(sealed, to: path(place.name), isOnlyWriter: true)
    } catch {
      throw JournalFault(
        "can't write \(path(place.name)): \(error.reason)", isLasting: false, isFull: error.errno == ENOSPC || error.errno == EDQUOT)
    }
    return ([], true)
  }

  /// For what is small, and goes into its row whatever the limit.
  func seal(_ plain: [UInt8], at place: Place) -> [UInt8]? { sealer.seal(plain, context: place.context) }

  /// nil if it is not what was stored there.
  func load(_ bytes: [UInt8], isFile: Bool, at place: Place) -> [UInt8]? {
    var sealed = bytes
    if isFile {
      guard let content = try? WholeFile.read(path(place.name), limit: JournalVault.contentLimit) else { return nil }
      sealed = content
    }
    return sealer.open(sealed, context: place.context)
  }

  func remove(_ name: String) { unlink(path(name)) }

  /// Removes the files that no row names: what a process left that ended between a file and its row.
  func removeAll(but names: Set<String>) {
    for name in files where !names.contains(name) { remove(name) }
  }

  /// Of all files.
  var byteCount: Int64 {
    files.reduce(0) { sum, name in
      var status = stat()
      return stat(path(name), &status) == 0 ? sum + Int64(status.st_size) : sum
    }
  }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  private var files: [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func key(_ path: String, needsKey: Bool) throws(JournalFault) -> [UInt8] {
    do throws(SystemError) {
      return try WholeFile.read(path, limit: 4_096)
    } catch {
      guard error.errno == ENOENT else { throw JournalFault("can't read \(path): \(error.reason)", isLasting: true) }
    }
    guard !needsKey else { throw JournalFault("\(path) is gone, and without it the journal can't be read", isLasting: true) }
    guard let key = Sealer.random(Sealer.keyBytes) else { throw JournalFault("the system gives no random key", isLasting: false) }
    do throws(SystemError) {
      try WholeFile.write(key, to: path, isOnlyWriter: true)
    } catch {
      throw JournalFault("can't write \(path): \(error.reason)", isLasting: false)
    }
    return key
  }
}
