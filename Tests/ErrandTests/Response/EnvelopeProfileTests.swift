import Testing

@testable import Errand

@Suite struct EnvelopeProfileTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var name = "own"
    var success = "/ok"
    var values = ["1"]
    var data: String?
    var code: String?
    let fault: String?
    var testDescription: String { fault ?? "no fault with \(success)" }
  }

  @Test(arguments: [
    Row(fault: nil),
    Row(success: "", fault: nil),
    Row(success: "/a~1b/~0/0", data: "/", fault: nil),
    Row(name: "", fault: "an envelope needs a name"),
    Row(values: [], fault: "the envelope own names no value that means success"),
    Row(success: "ok", fault: "the envelope own has a wrong pointer to its success: a JSON pointer does not begin with '/': ok"),
    Row(
      data: "/a~2", fault: "the envelope own has a wrong pointer to its data: '~' in a JSON pointer is not followed by 0 or 1: /a~2"),
    Row(code: "x\n", fault: "the envelope own has a wrong pointer to its code: a JSON pointer does not begin with '/': x "),
  ])
  func aProfileIsChecked(row: Row) {
    let profile = EnvelopeProfile(
      name: row.name, successPointer: row.success, successValues: row.values, codePointer: row.code, dataPointer: row.data)
    #expect(profile.fault == row.fault)
  }

  @Test func theShippedOnesHaveNoFault() {
    #expect(EnvelopeProfile.shipped.allSatisfy { $0.fault == nil })
  }

  @Test func theServicesWordsAreCutInMessages() {
    let normalizer = ResponseNormalizer(expect: .any, envelope: .codeMsgData, acceptStatus: [])
    let long = String(repeating: "x", count: 100_000)
    for body in [#"{"code": 1, "msg": "\#(long)\n"}"#, #"{"code": "\#(long)"}"#] {
      for status in [200, 500] {
        guard case .failure(let error) = normalizer.normalize(HttpResponse(status: status, body: Array(body.utf8))) else {
          Issue.record("no failure")
          continue
        }
        #expect(error.message.utf8.count < 400 && (error.serviceCode?.utf8.count ?? 0) < 400)
      }
    }
  }
}
