import EventLoop
import Testing

@testable import Errand

extension Instant {
  /// A test's beginning of time, and moments after it.
  static let start = Instant(nanoseconds: 1_000_000_000)
  static func after(_ duration: Duration) -> Instant { start + duration }
}

/// Where time does not matter, it stands still.
extension AdmissionPolicy {
  init(
    perHost: Int, total: Int, perOwner: Int? = nil, services: [String: ServiceLimits] = [:], rates: [String: RateLimit] = [:]
  ) {
    self.init(Limits(perHost: perHost, total: total, perOwner: perOwner, services: services, rates: rates))
  }

  mutating func addHost() -> HostIndex { addHost("") }

  mutating func take(_ host: HostIndex, owner: String? = nil, service: String? = nil) -> Slot? {
    take(host, owner: owner, service: service, at: .start)
  }

  /// A slot that must be free.
  mutating func taken(_ host: HostIndex, owner: String? = nil, service: String? = nil) throws -> Slot {
    let slot = take(host, owner: owner, service: service)
    return try #require(slot)
  }

  mutating func next() -> (id: UInt64, slot: Slot)? { next(at: .start) }

  func blocker(of place: Place) -> Blocker { blocker(of: place, at: .start) }

  /// Everybody that may go, in order.
  mutating func everyNext(at now: Instant = .start) -> [(id: UInt64, slot: Slot)] {
    var all: [(id: UInt64, slot: Slot)] = []
    while let next = next(at: now) { all.append(next) }
    return all
  }

  /// The order in which requests go if each is over before the next one goes.
  mutating func servingOneByOne(at now: Instant = .start) -> [UInt64] {
    var order: [UInt64] = []
    while let (id, slot) = next(at: now) {
      order.append(id)
      release(slot)
    }
    return order
  }
}
