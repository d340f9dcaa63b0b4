internal import EventLoop
import Glibc

/// A listening socket that accepts for a server. It pauses while the server is full, and for a while when there is no file
/// descriptor left, so that a connection that can't be accepted does not make the loop spin.
@LoopActor
final class Listener {
  private static let acceptedPerTurn = 64

  let address: SocketAddress
  private let descriptor: Int32
  private let server: HttpServer
  private var watch = WatchID.none
  private var timer = TimerID.none
  private var identity: (device: dev_t, inode: ino_t)?
  private var isClosed = false
  private(set) var isPaused = false

  init(_ server: HttpServer, on address: SocketAddress, mode: UInt32?) throws(SystemError) {
    self.server = server
    descriptor = try Socket.listen(on: address, backlog: server.configuration.backlog, mode: mode)
    self.address = Socket.localAddress(descriptor) ?? address
    identity = Listener.identity(of: address.path)
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
  }

  /// On a socket that another process made, and that stays its own in the file system.
  init(_ server: HttpServer, adopting descriptor: Int32) {
    self.server = server
    self.descriptor = descriptor
    address = Socket.localAddress(descriptor) ?? .loopback(port: 0)
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
  }

  func pause() {
    isPaused = true
    EventLoop.shared.update(watch, [])
  }

  func resume() {
    guard isPaused, !isClosed, timer == .none else { return }
    isPaused = false
    EventLoop.shared.update(watch, .read)
  }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    EventLoop.shared.cancel(timer)
    EventLoop.shared.unwatch(watch)
    Socket.close(descriptor)
    // Another process may have put its own socket in this place.
    if let path = address.path, let identity, let current = Listener.identity(of: path), current == identity { unlink(path) }
  }

  private static func identity(of path: String?) -> (device: dev_t, inode: ino_t)? {
    var status = stat()
    guard let path, lstat(path, &status) == 0 else { return nil }
    return (status.st_dev, status.st_ino)
  }
}

extension Listener: SocketTarget, TimerTarget {
  func socketReady(_ ready: Interest) {
    for _ in 0..<Listener.acceptedPerTurn {
      guard !isPaused, !isClosed else { return }
      do throws(SystemError) {
        guard let (accepted, peer) = try Socket.accept(descriptor) else { return }
        server.accepted(accepted, peer)
      } catch {
        // EMFILE, ENFILE, ENOBUFS, ENOMEM; anything else is as little cured by asking again at once.
        pause()
        timer = EventLoop.shared.schedule(after: server.configuration.acceptPause, self, kind: 0)
        return
      }
    }
  }

  func timerFired(_ kind: UInt8) {
    timer = .none
    server.acceptingMayResume()
  }
}
