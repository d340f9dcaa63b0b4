import EventLoop
import TestSupport
import Testing

@testable import Errand

@Suite struct TokenBucketTests {
  @Test func aPauseSavesUpTheBurstAndNoMore() throws {
    var bucket = try #require(TokenBucket(RateLimit(perSecond: 4, burst: 3)))
    #expect((0..<5).filter { _ in bucket.take(at: .start) }.count == 3)
    #expect(bucket.readyAt(.start) == .after(.milliseconds(250)))
    #expect(bucket.take(at: .after(.milliseconds(249))) == false)
    #expect(bucket.take(at: .after(.milliseconds(250))) == true)
    #expect((0..<9).filter { _ in bucket.take(at: .after(.seconds(100))) }.count == 3)
  }

  @Test(arguments: [0, -1, .nan, .infinity, -.infinity] as [Double]) func aRateThatIsNoneDoesNotLimit(perSecond: Double) {
    #expect(TokenBucket(RateLimit(perSecond: perSecond)) == nil)
  }

  @Test(arguments: [1e-300, 1e-12, 1, 1e12, 1e300] as [Double]) func anyRateAndBurstIsReckonedWithoutOverflow(perSecond: Double) throws {
    for burst in [Int.min, 0, 1, 1_000_000, .max] {
      var bucket = try #require(TokenBucket(RateLimit(perSecond: perSecond, burst: burst)))
      #expect(bucket.take(at: .start) == true)
      for time in [Int64.min, -1, 0, 1, .max - 1, .max] {
        _ = bucket.take(at: Instant(nanoseconds: time))
        _ = bucket.readyAt(Instant(nanoseconds: time))
      }
    }
  }

  @Test(arguments: 0..<UInt64(50)) func itAgreesWithABucketThatIsFilledDropByDrop(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // A token each 8 ns is a drop of 1/8 a nanosecond: exact in binary.
    let burst = Int.random(in: 1...6, using: &generator)
    var bucket = try #require(TokenBucket(RateLimit(perSecond: 125_000_000, burst: burst)))
    var (tokens, now) = (Double(burst), Int64(0))
    for _ in 0..<2_000 {
      let step = Int64.random(in: 0...12, using: &generator)
      now += step
      tokens = min(Double(burst), tokens + Double(step) / 8)
      let isReady = bucket.readyAt(Instant(nanoseconds: now)) == Instant(nanoseconds: now)
      #expect(isReady == (tokens >= 1), "seed \(seed)")
      #expect(bucket.take(at: Instant(nanoseconds: now)) == isReady)
      if isReady { tokens -= 1 }
    }
  }
}
