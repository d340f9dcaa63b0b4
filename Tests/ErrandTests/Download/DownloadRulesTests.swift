import EventLoop
import HttpWire
import Testing

@testable import Errand

@Suite struct DownloadRulesTests {
  private static let record = PartRecord(url: "http://a/", validator: "\"v\"", total: 100)
  private static let part = DownloadRules.Asked.rest(from: 10, record)
  private static let target = DownloadRules.Asked.rest(from: 10, nil)

  struct Case: Sendable {
    let asked: DownloadRules.Asked
    let status: Int
    var fields: HttpHeaders = [:]
    var length: Int64? = 90
    let decision: DownloadRules.Decision

    init(_ asked: DownloadRules.Asked, _ status: Int, _ fields: HttpHeaders = [:], _ decision: DownloadRules.Decision) {
      (self.asked, self.status, self.fields, self.decision) = (asked, status, fields, decision)
    }
  }

  @Test(arguments: [
    Case(.whole, 200, .write(offset: 0, total: 90)), Case(.whole, 201, .write(offset: 0, total: 90)),
    Case(.whole, 200, ["Transfer-Encoding": "chunked"], .write(offset: 0, total: nil)),
    Case(.whole, 304, .pass), Case(.whole, 404, .pass), Case(.whole, 416, .pass), Case(.whole, 418, .write(offset: 0, total: 90)),
    Case(.whole, 206, .malformed("a part came, though the whole was asked for")),
    Case(.whole, 206, ["Content-Range": "bytes 0-89/90"], .write(offset: 0, total: 90)),
    Case(.whole, 206, ["Content-Range": "bytes 0-89/91"], .malformed("a part came, though the whole was asked for")),
    Case(.ownRange, 206, ["Content-Range": "bytes 5-94/200"], .write(offset: 0, total: 90)), Case(.ownRange, 416, .pass),
    Case(part, 200, .write(offset: 0, total: 90)), Case(part, 404, .pass),
    Case(part, 206, ["Content-Range": "bytes 10-99/100"], .write(offset: 10, total: 100)),
    Case(part, 206, ["Content-Range": "bytes 10-99/*"], .write(offset: 10, total: 100)),
    Case(part, 206, ["Content-Range": "bytes 10-99/100", "ETag": "\"v\""], .write(offset: 10, total: 100)),
    Case(part, 206, ["Content-Range": "bytes 10-99/100", "ETag": "\"w\""], .fromStart),
    Case(part, 206, ["Content-Range": "bytes 10-99/100", "ETag": "W/\"v\""], .fromStart),
    Case(part, 206, ["Content-Range": "bytes 10-99/101"], .fromStart), Case(part, 206, ["Content-Range": "bytes 11-99/100"], .fromStart),
    Case(part, 206, ["Content-Range": "lines 10-99/100"], .fromStart), Case(part, 206, .fromStart),
    Case(part, 416, .fromStart), Case(part, 416, ["Content-Range": "bytes */100"], .fromStart),
    Case(part, 416, ["Content-Range": "bytes */10"], .fromStart),
    Case(target, 206, ["Content-Range": "bytes 10-99/100"], .write(offset: 10, total: 100)),
    Case(target, 206, ["Content-Range": "bytes 10-99/*"], .write(offset: 10, total: 100)),
    Case(target, 206, ["Content-Range": "bytes 0-99/100"], .fromStart),
    Case(target, 416, ["Content-Range": "bytes */10"], .isWhole(10)), Case(target, 416, ["Content-Range": "bytes */11"], .fromStart),
    Case(.rest(from: 100, record), 416, ["Content-Range": "bytes */100"], .isWhole(100)),
  ]) func aHeadMeansOneThing(_ one: Case) {
    let head = ResponseHead(status: one.status, headers: one.fields)
    let rules = DownloadRules(asked: one.asked, acceptStatus: [418])
    #expect(rules.decide(head, contentLength: one.length, now: 1_600_000_000) == one.decision)
  }

  @Test(
    arguments: [
      (["ETag": "\"a\""], "\"a\""), (["ETag": "W/\"a\""], nil), (["ETag": "\""], nil), (["ETag": "a"], nil), ([:], nil),
      (["Last-Modified": "Mon, 02 Nov 2020 10:00:00 GMT", "Date": "Mon, 02 Nov 2020 10:00:01 GMT"], "Mon, 02 Nov 2020 10:00:00 GMT"),
      (["Last-Modified": "Mon, 02 Nov 2020 10:00:00 GMT", "Date": "Mon, 02 Nov 2020 10:00:00 GMT"], nil),
      (["Last-Modified": "Mon, 02 Nov 2020 10:00:00 GMT"], nil), (["Last-Modified": "yesterday", "Date": "today"], nil),
    ] as [(HttpHeaders, String?)])
  func onlyWhatIsStrongIsAValidator(fields: HttpHeaders, validator: String?) {
    #expect(PartRecord.validator(of: fields, now: 1_604_311_200) == validator)
  }

  @Test func aRecordIsReadAsItWasWritten() {
    for total in [nil, 0, Int64.max] {
      let record = PartRecord(url: "http://a/\"\\", validator: "\"v\u{e9}\"", total: total)
      #expect(PartRecord(json: record.json) == record)
    }
    for text in ["", "{}", "[]", "{\"url\": 1, \"validator\": \"\"}", "{\"url\": \"\"}"] {
      #expect(PartRecord(json: Array(text.utf8)) == nil)
    }
  }

  @Test func progressIsToldTenTimesASecondWithTheRateOfTheLastSeconds() {
    let start = Instant(nanoseconds: 1_000_000_000)
    var meter = ProgressMeter(from: 500, total: nil, at: start)
    var told = 0
    // 1,000 bytes a second for 10 s, then nothing for 10 s.
    for step in 1...1_000 where meter.reached(500 + Int64(step) * 10, at: start + .milliseconds(step * 10)) != nil { told += 1 }
    #expect(told == 100)
    let full = meter.reached(10_500, at: start + .seconds(10), isLast: true)
    #expect(full.map { abs($0.rate - 1_000) < 1 } == true && full?.bytes == 10_500)
    var last: TransferProgress?
    for second in 11...20 { last = meter.reached(10_500, at: start + .seconds(second)) }
    #expect(last?.rate == 0)
  }
}

extension DownloadRulesTests.Case {
  init(_ asked: DownloadRules.Asked, _ status: Int, _ decision: DownloadRules.Decision) {
    self.init(asked, status, [:], decision)
  }
}
