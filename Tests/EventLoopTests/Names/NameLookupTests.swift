import Testing

@testable import EventLoop

@Suite struct NameLookupTests {
  private let v4 = DnsAnswer.addresses([.loopback(port: 0)], timeToLive: 1)
  private let v6 = DnsAnswer.addresses([.loopback(port: 0, v6: true)], timeToLive: 1)

  private func lookup(_ candidates: String...) -> NameLookup { NameLookup(candidates[0], candidates: candidates) }

  @Test(arguments: [true, false]) func eachFamilyIsToldAsItComes(isIPv6First: Bool) {
    var lookup = lookup("a")
    #expect(lookup.answered(isIPv6First ? v6 : v4, isIPv6: isIPv6First) == .tell([.loopback(port: 0, v6: isIPv6First)], isLast: false))
    #expect(!lookup.awaits(DnsQuestion(name: "a", isIPv6: isIPv6First)) && lookup.awaits(DnsQuestion(name: "a", isIPv6: !isIPv6First)))
    #expect(lookup.answered(isIPv6First ? v4 : v6, isIPv6: !isIPv6First) == .tell([.loopback(port: 0, v6: !isIPv6First)], isLast: true))
  }

  @Test(arguments: [DnsAnswer.none(.noAddress), .none(.noSuchName), .failed("no", isTemporary: true)])
  func oneFamilyIsEnough(other: DnsAnswer) {
    var first = lookup("a", "a.b")
    #expect(first.answered(other, isIPv6: true) == .wait)
    #expect(first.answered(v4, isIPv6: false) == .tell([.loopback(port: 0)], isLast: true))
    var second = lookup("a", "a.b")
    #expect(second.answered(v4, isIPv6: false) == .tell([.loopback(port: 0)], isLast: false))
    #expect(second.answered(other, isIPv6: true) == .tell([], isLast: true))
  }

  @Test func theNextNameIsAskedForWhenOneHasNoAddressOfEitherFamily() {
    var lookup = lookup("a", "a.b")
    #expect(lookup.answered(.none(.noAddress), isIPv6: true) == .wait)
    #expect(lookup.answered(.none(.noAddress), isIPv6: false) == .askNext)
    #expect(lookup.candidate == "a.b" && !lookup.awaits(DnsQuestion(name: "a", isIPv6: true)))
    #expect(lookup.answered(.none(.noSuchName), isIPv6: false) == .wait)
    guard case .fail(let error) = lookup.answered(.none(.noSuchName), isIPv6: true) else { return #expect(Bool(false), "no failure") }
    #expect(error.description == "can't resolve a: the name exists, but it has no address (asked for a, a.b)" && !error.isTemporary)
  }

  @Test func aNameThatIsNowhereDoesNotExist() {
    var lookup = lookup("a")
    _ = lookup.answered(.none(.noSuchName), isIPv6: true)
    #expect(
      lookup.answered(.none(.noSuchName), isIPv6: false)
        == .fail(ResolveError("can't resolve a: there is no such name", isTemporary: false)))
  }

  @Test func aFailureDoesNotLeadToTheNextName() {
    var lookup = lookup("a", "a.b")
    #expect(lookup.answered(.failed("silence", isTemporary: true), isIPv6: true) == .wait)
    #expect(
      lookup.answered(.none(.noSuchName), isIPv6: false) == .fail(ResolveError("can't resolve a: silence", isTemporary: true)))
  }
}
