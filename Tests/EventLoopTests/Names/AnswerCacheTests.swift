import Testing

@testable import EventLoop

@Suite struct AnswerCacheTests {
  private let start = Instant(nanoseconds: 1_000)
  private func question(_ number: Int) -> DnsQuestion { DnsQuestion(name: "n\(number).example", isIPv6: false) }
  private let answer = DnsAnswer.addresses([.loopback(port: 0)], timeToLive: 60)

  @Test func anAnswerCountsForItsTimeToLive() {
    var cache = AnswerCache(maximum: 8)
    cache.keep(answer, to: question(1), for: .seconds(60), at: start)
    #expect(cache.answer(to: question(1), at: start) == answer)
    #expect(cache.answer(to: question(1), at: start + .milliseconds(59_999)) == answer)
    #expect(cache.answer(to: question(1), at: start + .seconds(60)) == nil)
    #expect(cache.count == 0)
    #expect(cache.answer(to: DnsQuestion(name: "n1.example", isIPv6: true), at: start) == nil)
  }

  @Test func nothingIsKeptForNoTime() {
    var cache = AnswerCache(maximum: 8)
    cache.keep(answer, to: question(1), for: .zero, at: start)
    #expect(cache.count == 0)
    var none = AnswerCache(maximum: 0)
    none.keep(answer, to: question(1), for: .seconds(1), at: start)
    #expect(none.count == 0)
  }

  @Test func aLaterAnswerReplacesAnEarlierOne() {
    var cache = AnswerCache(maximum: 4)
    cache.keep(answer, to: question(1), for: .seconds(1), at: start)
    for number in 2...3 { cache.keep(answer, to: question(number), for: .seconds(9), at: start) }
    cache.keep(.none(.noSuchName), to: question(1), for: .seconds(5), at: start)
    #expect(cache.answer(to: question(1), at: start + .seconds(4)) == DnsAnswer.none(.noSuchName))
    #expect(cache.answer(to: question(1), at: start + .seconds(5)) == nil)
  }

  @Test func itIsBoundedAndWhatIsUsedStays() {
    var cache = AnswerCache(maximum: 100)
    cache.keep(answer, to: question(0), for: .seconds(60), at: start)
    for number in 1...10_000 {
      cache.keep(answer, to: question(number), for: .seconds(60), at: start)
      #expect(cache.answer(to: question(0), at: start) != nil)
      #expect(cache.count <= 100)
    }
    #expect(cache.answer(to: question(10_000), at: start) != nil)
    #expect(cache.answer(to: question(1), at: start) == nil)
    cache.removeAll()
    #expect(cache.count == 0)
  }
}
