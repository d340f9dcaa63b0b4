internal import EventLoop

extension AdmissionPolicy {
  typealias HostIndex = Int32

  /// Where a request waits, for ``leave(_:)`` and ``blocker(of:at:)``.
  struct Place: Sendable, Hashable {
    let request: Int32
  }

  /// What a request that runs counts against, for ``release(_:isLent:)``.
  struct Slot: Sendable, Hashable {
    let number: Int32
  }

  /// What a slot counts against, and since when.
  struct Use: Sendable {
    var host: HostIndex = -1
    var owner: Int32 = -1
    var service: Int32 = -1
    var since = Instant(nanoseconds: 0)
  }

  /// Why a request that waits does not run.
  enum Blocker: Sendable, Hashable {
    /// Only those whose turn is before its own.
    case turn
    case total(used: Int, limit: Int)
    /// `oldest`: since when the longest of those has its slot.
    case host(used: Int, limit: Int, oldest: Instant?)
    case owner(used: Int, limit: Int)
    case service(String, used: Int, limit: Int)
    /// The rate limit of the host or service of that name.
    case rate(String, until: Instant)
  }

  struct Limits: Sendable {
    var perHost: Int
    var total: Int
    var perOwner: Int?
    var services: [String: ServiceLimits]
    /// By host name.
    var rates: [String: RateLimit]

    init(
      perHost: Int, total: Int, perOwner: Int? = nil, services: [String: ServiceLimits] = [:], rates: [String: RateLimit] = [:]
    ) {
      self.perHost = perHost
      self.total = total
      self.perOwner = perOwner
      self.services = services
      self.rates = rates
    }

    init(_ configuration: HttpClient.Configuration) {
      self.init(
        perHost: min(configuration.maxConnectionsPerHost, configuration.maxInFlightPerHost), total: configuration.maxConnections,
        perOwner: configuration.maxInFlightPerOwner,
        services: configuration.services,
        rates: Dictionary(configuration.rateLimits.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 }))
    }
  }

  struct Host: Sendable {
    enum Standing: Sendable {
      /// Has no free slot, or nobody that could use it.
      case none
      case ready
      /// Waits for a token of its rate.
      case throttled
    }

    var limit = 0
    var rate: Int32 = -1
    var inUse = 0
    var waiting = 0
    /// Its slots in use, the oldest first.
    var uses = Ring()
    /// In which ring it is.
    var standing = Standing.none
    /// Its owners with requests that the limits of services let go, in turn; without those that wait at the owner's limit.
    var lineups = Ring()
    var guests = Ring()
  }

  struct Owner: Sendable {
    var name = ""
    var limit = Int.max
    var inUse = 0
    var waiting = 0
    /// Lineups that wait for its limit.
    var parked = Ring()
    var guest: Int32 = -1
    var hasRoom: Bool { inUse < limit }
  }

  struct Service: Sendable {
    let name: String
    let limit: Int
    let rate: Int32
    var inUse = 0
    /// Lanes that wait for its limit or its rate.
    var parked = Ring()
    var guest: Int32 = -1
  }

  /// A token bucket that hosts of one name, or a service, draw on.
  struct Rate: Sendable {
    let name: String
    /// -1: of a host name.
    let service: Int32
    var bucket: TokenBucket
    /// No token until then, as far as it was looked at.
    var emptyUntil: Instant?
    var isInWakeList = false
    /// Hosts that wait for a token.
    var throttled = Ring()
  }

  /// One owner's requests at one host.
  struct Lineup: Sendable {
    enum Standing: Sendable {
      /// All of its lanes wait at the limits of their services.
      case none
      /// In its host's turn.
      case host
      /// Waits for its owner's limit.
      case owner
    }

    var host: HostIndex = -1
    var owner: Int32 = -1
    var laneCount = 0
    /// Lanes that no service holds back, the best first.
    var lanes = Ring()
    var standing = Standing.none
    var guest: Int32 = -1
    var guestLanes = 0
  }

  /// One owner's requests at one host for one service.
  struct Lane: Sendable {
    var lineup: Int32 = -1
    var service: Int32 = -1
    var isParked = false
    /// By priority, the highest first. At most 256.
    var levels = Ring()
    var head = Head()
    var guest: Int32 = -1
  }

  /// The best request of a lane.
  struct Head: Sendable, Equatable {
    var priority = Int8.min
    var number = UInt64.max

    func isBefore(_ other: Head) -> Bool {
      priority > other.priority || priority == other.priority && number < other.number
    }
  }

  /// The requests of a lane with one priority: first in, first out.
  struct Level: Sendable {
    var lane: Int32 = -1
    var priority: Int8 = 0
    var requests = Ring()
  }

  struct Request: Sendable {
    var id: UInt64 = 0
    /// Counts up, so that age can be compared across lanes.
    var number: UInt64 = 0
    var level: Int32 = -1
  }

  /// Who was let go by its owner's or service's limit and has not had its turn yet. While it stands in the turn of a host that has a free
  /// slot, the limit wakes nobody else.
  struct Guest: Sendable {
    enum Gate: Sendable {
      case owner(Int32)
      case service(Int32, lane: Int32)
    }

    var gate = Gate.owner(-1)
    var lineup: Int32 = -1
  }

  struct LineupKey: Hashable, Sendable {
    let host: Int32
    let owner: Int32
  }

  struct LaneKey: Hashable, Sendable {
    let host: Int32
    let owner: Int32
    let service: Int32
  }
}
