import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite struct SessionWatchTests {
  private let shop = SessionWatch.Scope.service("shop")
  private let news = SessionWatch.Scope.service("news")

  private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

  private func ended(_ scope: SessionWatch.Scope, _ submitted: Instant, _ now: Instant, _ watch: inout SessionWatch) -> Bool {
    watch.ended(scope, submitted: submitted, at: now)
  }

  @Test func theEndOfASessionIsNewsOnce() {
    var watch = SessionWatch()
    #expect(ended(shop, at(1), at(10), &watch))
    for second in 2..<9 { #expect(!ended(shop, at(Int64(second)), at(11), &watch)) }
    #expect(!ended(shop, at(20), at(21), &watch))
    #expect(ended(news, at(20), at(21), &watch), "each service has its own")
  }

  @Test func aRequestThatSucceedsLaterMakesItNewsAgain() {
    var watch = SessionWatch()
    #expect(ended(shop, at(1), at(10), &watch))
    watch.succeeded(shop, submitted: at(12), at: at(13))
    #expect(ended(shop, at(14), at(15), &watch))
    #expect(!ended(shop, at(14), at(16), &watch))
  }

  @Test func aSuccessFromBeforeTheEndProvesNothing() {
    var watch = SessionWatch()
    #expect(ended(shop, at(1), at(10), &watch))
    watch.succeeded(shop, submitted: at(9), at: at(11))
    #expect(!ended(shop, at(12), at(13), &watch))
  }

  @Test func lateNewsOfTheOldSessionIsNone() {
    var watch = SessionWatch()
    #expect(ended(shop, at(1), at(10), &watch))
    watch.succeeded(shop, submitted: at(12), at: at(13))
    #expect(!ended(shop, at(11), at(14), &watch), "sent before the new session was there")
    #expect(ended(shop, at(15), at(16), &watch))
  }

  @Test func aSuccessWithoutAnEndBeforeChangesNothing() {
    var watch = SessionWatch()
    watch.succeeded(shop, submitted: at(1), at: at(2))
    #expect(ended(shop, at(1), at(3), &watch))
  }

  @Test func requestsWithoutAServiceAreToldApartByOriginAndEnvelope() {
    var watch = SessionWatch()
    func scope(_ host: String, _ envelope: String) -> SessionWatch.Scope {
      .origin(Origin(host: host, options: nil, port: 80, isSecure: false), envelope: envelope)
    }
    #expect(ended(scope("a", "x"), at(1), at(2), &watch))
    #expect(ended(scope("b", "x"), at(1), at(2), &watch))
    #expect(ended(scope("a", "y"), at(1), at(2), &watch))
    #expect(!ended(scope("a", "x"), at(1), at(2), &watch))
  }
}
