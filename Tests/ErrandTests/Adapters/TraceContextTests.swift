import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct TraceContextTests {
  private static let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

  @Test func aTraceparentIsTakenApart() throws {
    let context = try #require(TraceContext(Self.good, state: "a=1,b=2"))
    #expect(context.traceId == "0af7651916cd43dd8448eb211c80319c" && context.spanId == "b7ad6b7169203331")
    #expect(context.isSampled && context.state == "a=1,b=2")
    #expect(context.description == Self.good)
  }

  @Test(arguments: [
    "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "0g-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
    "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0z",
    " 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
    "é0-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1",
  ])
  func whatIsNoneIsNotRead(text: String) {
    #expect(TraceContext(text) == nil)
  }

  @Test(arguments: [
    ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00", false), ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-ff", true),
    ("01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", true),
    ("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", true),
  ])
  func laterVersionsAndOtherFlagsAreRead(text: String, isSampled: Bool) {
    #expect(TraceContext(text)?.isSampled == isSampled)
    #expect(TraceContext(text)?.description.hasPrefix("00-") == true, "and written in the version that is known")
  }

  @Test func aChildIsAnotherSpanOfTheSameTrace() throws {
    var parent = try #require(TraceContext(Self.good))
    parent.state = "a=1"
    let child = parent.child()
    #expect(child.traceId == parent.traceId && child.spanId != parent.spanId && child.state == "a=1" && child.isSampled)
    #expect(TraceContext(child.description) != nil)
  }

  @Test func whatIsMadeCanBeRead() {
    var generator = SeededGenerator(seed: 1)
    var seen: Set<String> = []
    for round in 0..<200 {
      let context = TraceContext(isSampled: round % 2 == 0, using: &generator)
      #expect(TraceContext(context.description) == context)
      #expect(seen.insert(context.traceId).inserted)
    }
  }

  @Test func aStateThatIsTooLongIsLeftOut() {
    #expect(TraceContext(Self.good, state: String(repeating: "a", count: 512))?.state?.utf8.count == 512)
    #expect(TraceContext(Self.good, state: String(repeating: "a", count: 513))?.state == nil)
    #expect(TraceContext(Self.good, state: "")?.state == nil)
  }

  private func adapted(_ headers: HttpHeaders, beginsTraces: Bool = true) -> HttpHeaders {
    var request = HttpRequest("http://h/", headers: headers)
    TracingAdapter(beginsTraces: beginsTraces).adapt(&request)
    return request.headers
  }

  @Test func theRequestIsAChildOfItsOwnTraceparent() throws {
    let headers = adapted(["TraceParent": Self.good, "tracestate": "a=1", "Tracestate": "b=2", "X": "y"])
    let context = try #require(headers["traceparent"].flatMap { TraceContext($0) })
    #expect(context.traceId == "0af7651916cd43dd8448eb211c80319c" && context.spanId != "b7ad6b7169203331")
    #expect(headers.values("tracestate") == ["a=1,b=2"] && headers["X"] == "y" && headers.count == 3)
  }

  @Test func theRequestIsAChildOfTheTasksContext() throws {
    let current = try #require(TraceContext(Self.good, state: "c=3"))
    let headers = TraceContext.$current.withValue(current) { adapted([:]) }
    #expect(headers["traceparent"]?.contains(current.traceId) == true && headers["traceparent"] != Self.good)
    #expect(headers["tracestate"] == "c=3")
    let own = TraceContext.$current.withValue(current) {
      adapted(["traceparent": "00-11111111111111111111111111111111-2222222222222222-00"])
    }
    #expect(own["traceparent"]?.hasPrefix("00-11111111111111111111111111111111-") == true, "its own counts first")
    #expect(own["traceparent"]?.hasSuffix("-00") == true && own["tracestate"] == nil)
  }

  @Test func aRequestWithoutAContextBeginsATraceIfWanted() {
    #expect(adapted([:])["traceparent"].flatMap { TraceContext($0) }?.isSampled == true)
    #expect(adapted([:], beginsTraces: false).isEmpty)
    #expect(adapted(["traceparent": "garbage", "tracestate": "a=1"], beginsTraces: false).isEmpty)
    let headers = adapted(["traceparent": "garbage", "tracestate": "a=1"])
    #expect(headers["traceparent"].flatMap { TraceContext($0) } != nil && headers["tracestate"] == nil)
  }
}
