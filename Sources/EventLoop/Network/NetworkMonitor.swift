internal import CLibevent
import Glibc

/// Tells when the ways out of the machine change: a link comes up or goes down, an address or a route comes or goes (netlink). Needs no privileges.
/// Watches only while somebody observes.
@LoopActor
public final class NetworkMonitor {
  public static let shared = NetworkMonitor()

  /// Names one observer; never used again for another.
  public struct ObserverID: Sendable, Hashable {
    let value: UInt64
  }

  private let coalescing: Duration
  private var observers: [UInt64: @LoopActor () -> Void] = [:]
  private var lastID: UInt64 = 0
  private var descriptor: Int32 = -1
  private var watch = WatchID.none
  private var timer: TimerID?
  /// What the machine has: the kernel also tells of addresses that only live on.
  private var addresses: Set<NetlinkReader.Address> = []
  /// Why nothing is being watched, though somebody observes: where a sandbox forbids netlink, say.
  public private(set) var failure: SystemError?

  /// `coalescing`: a network that changes does so several times in a row; observers are told once, this long after the first. Default 200 ms.
  public nonisolated init(coalescing: Duration = .milliseconds(200)) {
    self.coalescing = coalescing
  }

  /// Calls `told` after each change, until ``stopObserving(_:)``.
  public func observe(_ told: @escaping @LoopActor () -> Void) -> ObserverID {
    lastID += 1
    observers[lastID] = told
    if descriptor < 0 { open() }
    return ObserverID(value: lastID)
  }

  /// An unknown id is no error.
  public func stopObserving(_ id: ObserverID) {
    observers[id.value] = nil
    if observers.isEmpty { close() }
  }

  private func open() {
    failure = nil
    descriptor = errand_netlink_open()
    guard descriptor >= 0, errand_netlink_bind(descriptor) == 0 else {
      failure = .last("netlink")
      return close()
    }
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
    list()
  }

  private func close() {
    EventLoop.shared.unwatch(watch)
    watch = .none
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    addresses = []
    if let timer { EventLoop.shared.cancel(timer) }
    timer = nil
  }

  private func list() {
    addresses = []
    // Without the list each address that lives on would count as a change once: no more.
    _ = errand_netlink_ask_addresses(descriptor)
  }

  fileprivate func take(_ events: [NetlinkReader.Event]) {
    for event in events {
      switch event {
      case .addressIsThere(let address, let isListed):
        if addresses.insert(address).inserted, !isListed { changed() }
      case .addressIsGone(let address):
        addresses.remove(address)
        changed()
      case .changed: changed()
      }
    }
  }

  private func changed() {
    guard timer == nil else { return }
    timer = EventLoop.shared.schedule(after: coalescing, self, kind: 0)
  }
}

extension NetworkMonitor: SocketTarget {
  public func socketReady(_ ready: Interest) {
    // A storm of changes may not hold the loop: the rest comes with the next turn.
    for _ in 0..<32 where descriptor >= 0 {
      let buffer = EventLoop.shared.readBuffer
      switch Socket.receive(descriptor, into: buffer) {
      case .bytes(let count): take(NetlinkReader.events(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      case .wouldBlock: return
      case .failed(let error) where error.errno == ENOBUFS:
        // The kernel had more to tell than it could keep: something changed, and what is not known.
        changed()
        list()
      case .closed, .failed:
        failure = .last("netlink")
        EventLoop.shared.unwatch(watch)
        watch = .none
        return
      }
    }
  }
}

extension NetworkMonitor: TimerTarget {
  public func timerFired(_ kind: UInt8) {
    timer = nil
    for id in observers.keys.sorted() { observers[id]?() }
  }
}
