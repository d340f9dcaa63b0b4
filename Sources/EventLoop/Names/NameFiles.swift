internal import CCares
internal import CLibevent
internal import Dispatch
import Glibc

/// The system's files about names: looked at and read on a queue of their own, never on the loop.
enum NameFiles {
  /// What tells one state of a file from another; nil stands for a file that is not there.
  struct Signature: Sendable, Equatable {
    var device: UInt64
    var inode: UInt64
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
  }

  struct State: Sendable, Equatable {
    var hosts: Signature?
    var configuration: Signature?
  }

  /// What has changed since the state before.
  struct Changes: Sendable {
    var state: State
    var hosts: HostsFile?
    var channel: Result<DnsChannel.Opened, ResolveError>?
  }

  private static let queue = DispatchQueue(label: "errand.names")

  /// Compares the files with the state known, reads those that changed, and tells `done` on the loop. Everything has changed since nil.
  static func check(
    _ settings: ResolverSettings, since known: State?, _ done: @escaping @LoopActor @Sendable (Changes) -> Void
  ) {
    queue.async {
      // Looked at before they are read: what changes in between is read again next time.
      let state = State(hosts: signature(settings.hostsFile), configuration: signature(settings.configurationFile))
      var changes = Changes(state: state)
      if known == nil || known?.hosts != state.hosts { changes.hosts = HostsFile(read(settings.hostsFile, HostsFile.maximumBytes)) }
      if known == nil || known?.configuration != state.configuration { changes.channel = DnsChannel.open(settings) }
      let found = changes
      EventLoop.shared.enqueue { done(found) }
    }
  }

  private static func signature(_ path: String) -> Signature? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Signature(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }

  private static func read(_ path: String, _ limit: Int) -> [UInt8] {
    // Not blocking, so that a pipe with no writer can't hold the queue.
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count < limit {
      let piece = [UInt8](unsafeUninitializedCapacity: min(65_536, limit - bytes.count)) { buffer, filled in
        filled = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
      }
      guard !piece.isEmpty else { break }
      bytes += piece
    }
    return bytes
  }
}
