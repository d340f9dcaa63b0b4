/// The cookies of one user of the client (RFC 6265bis 5.7, 5.8): a value, told the time, in seconds since 1970, with each call.
///
/// Cookies lie with their registrable domain, in the order of sending, so that a request costs what the cookies of its own site cost, and
/// what has to go for want of room is found without a search. A cookie whose time is over is neither sent nor listed, and goes when it is
/// come upon.
public struct CookieJarState: Sendable {
  struct Entry: Sendable {
    var cookie: Cookie
    let site: String
    /// Tells cookies of one second apart, the earlier first.
    let order: UInt64
    /// When it was last used, by the count of uses.
    var use: UInt64
  }

  public let limits: CookieLimits
  /// Counts changes of what is kept; being sent is none.
  public private(set) var revision: UInt64 = 0
  /// Cookies kept, with those whose time is over and that were not come upon yet.
  public private(set) var count = 0

  /// By slot; nil where one is free.
  private(set) var entries: [Entry?] = []
  /// Slots by registrable domain or, where a host has none, by host: longer paths first, then older cookies.
  private(set) var sites: [String: [Int]] = [:]
  private var freeSlots: [Int] = []
  private var insecure = RecencyList()
  private var secure = RecencyList()
  private var uses: UInt64 = 0
  /// No cookie's time is over before.
  private var earliestExpiry = Int64.max

  /// An empty jar.
  public init(limits: CookieLimits = CookieLimits()) {
    self.limits = limits
  }

  // MARK: One cookie

  /// Puts in a cookie of that site, in the place of the one with the same identity. One whose time is over only takes that one away.
  mutating func put(_ cookie: Cookie, site: String, at now: Int64) throws(CookieRefusal) {
    var cookie = cookie
    cookie.lastAccess = now
    uses += 1
    var order = uses
    if let slot = sites[site]?.first(where: { entries[$0]?.cookie.hasIdentity(of: cookie) == true }), let old = entries[slot] {
      if !old.cookie.isExpired(at: now) {
        cookie.creation = old.cookie.creation
        order = old.order
        if old.cookie.hasContent(of: cookie) { return touch(slot, at: now) }
      }
      take(slot)
      revision += 1
    }
    guard !cookie.isExpired(at: now) else { return }
    revision += 1
    let slot = insert(Entry(cookie: cookie, site: site, order: order, use: uses))
    makeRoom(inSite: site, at: now)
    guard entries[slot] != nil else { throw .noRoom }
  }

  mutating func touch(_ slot: Int, at now: Int64) {
    uses += 1
    entries[slot]?.use = uses
    entries[slot]?.cookie.lastAccess = now
    if entries[slot]?.cookie.isSecure == true { secure.touch(slot) } else { insecure.touch(slot) }
  }

  /// Takes the cookies away for good, and tells how many there were.
  mutating func remove(_ slots: [Int]) -> Int {
    for slot in slots { take(slot) }
    if !slots.isEmpty { revision += 1 }
    return slots.count
  }

  mutating func take(_ slot: Int) {
    guard let entry = entries[slot] else { return }
    if entry.cookie.isSecure { secure.remove(slot) } else { insecure.remove(slot) }
    sites[entry.site]?.removeAll { $0 == slot }
    if sites[entry.site]?.isEmpty == true { sites[entry.site] = nil }
    entries[slot] = nil
    freeSlots.append(slot)
    count -= 1
  }

  private mutating func insert(_ entry: Entry) -> Int {
    let slot = freeSlots.popLast() ?? entries.count
    if slot == entries.count { entries.append(entry) } else { entries[slot] = entry }
    if entry.cookie.isSecure { secure.append(slot) } else { insecure.append(slot) }
    let others = sites[entry.site] ?? []
    let position = others.firstIndex { entries[$0].map { isSent(entry, before: $0) } ?? false } ?? others.count
    sites[entry.site, default: []].insert(slot, at: position)
    earliestExpiry = min(earliestExpiry, entry.cookie.expires ?? .max)
    count += 1
    return slot
  }

  private func isSent(_ one: Entry, before other: Entry) -> Bool {
    let (length, otherLength) = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
    if length != otherLength { return length > otherLength }
    return (one.cookie.creation, one.order) < (other.cookie.creation, other.order)
  }

  // MARK: Room

  private mutating func makeRoom(inSite site: String, at now: Int64) {
    while let slots = sites[site], slots.count > limits.cookiesPerDomain, let slot = slots.min(by: { goes($0, before: $1, at: now) }) {
      take(slot)
    }
    if count > limits.cookies, earliestExpiry <= now { takeExpired(at: now) }
    while count > limits.cookies, let slot = insecure.oldest ?? secure.oldest { take(slot) }
  }

  private func goes(_ one: Int, before other: Int, at now: Int64) -> Bool {
    guard let one = entries[one], let other = entries[other] else { return false }
    let (isOver, isOtherOver) = (one.cookie.isExpired(at: now), other.cookie.isExpired(at: now))
    if isOver != isOtherOver { return isOver }
    return one.cookie.isSecure == other.cookie.isSecure ? one.use < other.use : !one.cookie.isSecure
  }

  /// Looks at every cookie, which a full jar is to do once a second at most: what is left lives on beyond `now`.
  private mutating func takeExpired(at now: Int64) {
    earliestExpiry = .max
    for slot in entries.indices {
      guard let expires = entries[slot]?.cookie.expires else { continue }
      if expires <= now { take(slot) } else { earliestExpiry = min(earliestExpiry, expires) }
    }
  }
}
