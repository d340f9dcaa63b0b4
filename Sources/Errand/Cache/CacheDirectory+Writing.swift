internal import EventLoop
import Glibc
internal import Hashing

extension CacheDirectory {
  /// Writes an entry so that the file under its name is, at any moment and after any end of the process, the old one, the new one or
  /// none: beside it first, then on the medium, then under its name. The SHA-256 of all that stands before it ends the file.
  func write(_ head: [UInt8], _ body: [UInt8], as name: CacheFileName, number: UInt64) throws(Failure) {
    let hash = HashStream(.sha256)
    hash.update(head)
    hash.update(body)
    let temporary = CacheFileName.temporary(number)
    let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(errno: errno, "open") }
    do throws(Failure) {
      defer { close(file) }
      for part in [head, body, hash.finish()] {
        do throws(SystemError) { try WholeFile.append(part, to: file) } catch { throw Failure(error) }
      }
      Self.markAsUsed(file)
      guard fsync(file) == 0 else { throw Failure(errno: errno, "fsync") }
      guard renameat(descriptor, temporary, descriptor, name.text) == 0 else { throw Failure(errno: errno, "rename") }
    } catch {
      unlinkat(descriptor, temporary, 0)
      throw error
    }
  }

  /// The order of use outlasts the process. By itself the kernel would stamp what is used within some milliseconds as of the same moment.
  static func markAsUsed(_ file: Int32) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    futimens(file, [now, now])
  }
}
