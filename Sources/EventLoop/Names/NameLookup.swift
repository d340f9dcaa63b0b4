/// One resolution in progress: what is asked for, and what follows from each answer. Pure: asks nobody.
struct NameLookup {
  private enum Family {
    case asking
    case found
    case none(DnsAnswer.Absence)
    case failed(String, isTemporary: Bool)
  }

  enum Step: Equatable {
    /// The other family's answer is to come.
    case wait
    case tell([SocketAddress], isLast: Bool)
    /// Both families are to be asked for under the next name.
    case askNext
    case fail(ResolveError)
  }

  let host: String
  private let candidates: [String]
  private var index = 0
  private var v6 = Family.asking
  private var v4 = Family.asking
  private var exists = false

  init(_ host: String, candidates: [String]) {
    self.host = host
    self.candidates = candidates
  }

  /// The name that is asked for now.
  var candidate: String { candidates.indices.contains(index) ? candidates[index] : host }

  func awaits(_ question: DnsQuestion) -> Bool {
    guard question.name == candidate, case .asking = question.isIPv6 ? v6 : v4 else { return false }
    return true
  }

  /// An answer to one of the two questions about ``candidate``.
  ///
  /// The families stay together: only when a name has no address at all is the next one asked for, or IPv4 could lead to one machine and IPv6 to
  /// another. After a failure the next name is not asked for either, for it may be someone else's.
  mutating func answered(_ answer: DnsAnswer, isIPv6: Bool) -> Step {
    switch answer {
    case .addresses(let addresses, _):
      set(.found, isIPv6)
      return .tell(addresses, isLast: !isAsking)
    case .none(let absence):
      if absence == .noAddress { exists = true }
      set(.none(absence), isIPv6)
    case .failed(let words, let isTemporary):
      set(.failed(words, isTemporary: isTemporary), isIPv6)
    }
    if isAsking { return .wait }
    switch (v6, v4) {
    case (.found, _), (_, .found): return .tell([], isLast: true)
    case (.failed(let words, let isTemporary), _), (_, .failed(let words, let isTemporary)):
      return .fail(ResolveError("can't resolve \(host): \(words)", isTemporary: isTemporary))
    case (.asking, _), (_, .asking): return .wait
    case (.none, .none): break
    }
    guard index + 1 < candidates.count else { return .fail(absence) }
    index += 1
    v6 = .asking
    v4 = .asking
    return .askNext
  }

  private var isAsking: Bool {
    switch (v6, v4) {
    case (.asking, _), (_, .asking): true
    default: false
    }
  }

  private mutating func set(_ family: Family, _ isIPv6: Bool) {
    if isIPv6 { v6 = family } else { v4 = family }
  }

  private var absence: ResolveError {
    let reason = exists ? "the name exists, but it has no address" : "there is no such name"
    let asked = candidates.count > 1 ? " (asked for \(candidates.joined(separator: ", ")))" : ""
    return ResolveError("can't resolve \(host): \(reason)\(asked)", isTemporary: false)
  }
}
