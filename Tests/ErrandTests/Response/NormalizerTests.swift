import HttpWire
import TestSupport
import Testing

@testable import Errand

@Suite struct NormalizerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let what: String
    var status = 200
    let body: String
    var expect = Expectation.any
    var envelope: EnvelopeProfile?
    var accept: [Int] = []
    /// `ok` or the error's code.
    let code: String
    var serviceCode: String?
    var message: String?
    var data: String?
    var testDescription: String { what }
  }

  private static let nested = EnvelopeProfile(
    name: "nested", successPointer: "/meta/ok", successValues: ["true"], codePointer: "/meta/error/id", messagePointer: "/meta/error/text",
    dataPointer: "/payload/items/0")

  static let rows: [Row] = [
    Row(what: "anything goes by default", body: "<html>", code: "ok"),
    Row(what: "a redirect is no failure", status: 302, body: "", code: "ok"),
    Row(what: "399 is none", status: 399, body: "", code: "ok"),
    Row(what: "400 is one", status: 400, body: "no", code: "http_status", message: "400 Bad Request"),
    Row(what: "503", status: 503, body: "", code: "http_status", message: "503 Service Unavailable"),
    Row(what: "a status nobody knows", status: 599, body: "", code: "http_status", message: "599"),
    Row(what: "an accepted 404", status: 404, body: "", accept: [404], code: "ok"),
    Row(what: "404 accepted, 410 came", status: 410, body: "", accept: [404], code: "http_status"),
    Row(what: "an accepted 404 is still judged as JSON", status: 404, body: "x", expect: .json, accept: [404], code: "not_json"),
    Row(what: "the status is judged first", status: 500, body: "{", expect: .json, code: "http_status"),
    Row(what: "JSON", body: " [1] \n", expect: .json, code: "ok", data: "[1]"),
    Row(what: "a lone number is JSON", body: "1", expect: .json, code: "ok", data: "1"),
    Row(what: "HTML is not", body: "<html>", expect: .json, code: "not_json"),
    Row(what: "an empty body is not", body: "", expect: .json, code: "not_json"),
    Row(what: "white space is not", body: " \n", expect: .json, code: "not_json"),
    Row(what: "cut JSON is not", body: #"{"a": [1, 2"#, expect: .json, code: "not_json"),
    Row(what: "JSON with something after it is not", body: "{} x", expect: .json, code: "not_json"),
    Row(what: "NaN is not", body: "NaN", expect: .json, code: "not_json"),
    Row(what: "204 has no JSON", status: 204, body: "", expect: .json, code: "not_json"),
    Row(what: "204 has no envelope", status: 204, body: "", envelope: .codeMsgData, code: "not_json"),
    Row(what: "an object", body: "\n{}", expect: .jsonObject, code: "ok", data: "{}"),
    Row(what: "an array is no object", body: "[]", expect: .jsonObject, code: "wrong_shape"),
    Row(what: "null is no object", body: "null", expect: .jsonObject, code: "wrong_shape"),
    Row(what: "an object is no array", body: "{}", expect: .jsonArray, code: "wrong_shape"),
    Row(what: "an array", body: "[{}]", expect: .jsonArray, code: "ok", data: "[{}]"),
    Row(what: "bad JSON is bad before its shape is", body: "[", expect: .jsonObject, code: "not_json"),

    Row(
      what: "status-info, well", body: #"{"status": "success", "info": {"a": 1}}"#, envelope: .statusInfo, code: "ok", data: #"{"a": 1}"#),
    Row(
      what: "status-info, refused", body: #"{"status": "error", "info": "no stock"}"#, envelope: .statusInfo, code: "service",
      serviceCode: "error", message: "no stock"),
    Row(
      what: "status-info, info is no text", body: #"{"status": "error", "info": {"a": 1}}"#, envelope: .statusInfo, code: "service",
      serviceCode: "error", message: "the service said error"),
    Row(what: "status-info without info", body: #"{"status": "success"}"#, envelope: .statusInfo, code: "ok"),
    Row(what: "status-info without status", body: #"{"info": 1}"#, envelope: .statusInfo, code: "wrong_shape"),
    Row(what: "status-info, status is null", body: #"{"status": null}"#, envelope: .statusInfo, code: "wrong_shape"),
    Row(what: "status-info, case matters", body: #"{"status": "SUCCESS"}"#, envelope: .statusInfo, code: "service", serviceCode: "SUCCESS"),
    Row(what: "status-info, not JSON", body: "success", envelope: .statusInfo, code: "not_json"),
    Row(what: "status-info, an array", body: "[]", envelope: .statusInfo, code: "wrong_shape"),

    Row(what: "code-msg-data, well", body: #"{"code": "0", "msg": "", "data": [1]}"#, envelope: .codeMsgData, code: "ok", data: "[1]"),
    Row(what: "a number as its code", body: #"{"code": 0, "data": "x"}"#, envelope: .codeMsgData, code: "ok", data: #""x""#),
    Row(
      what: "code-msg-data, refused", body: #"{"code": "E17", "msg": "gone", "data": null}"#, envelope: .codeMsgData, code: "service",
      serviceCode: "E17", message: "gone"),
    Row(
      what: "a number as a failing code", body: #"{"code": -1001, "msg": "late"}"#, envelope: .codeMsgData, code: "service",
      serviceCode: "-1001", message: "late"),
    Row(
      what: "a failing code without words", body: #"{"code": 7}"#, envelope: .codeMsgData, code: "service", serviceCode: "7",
      message: "the service said 7"),
    Row(what: "the code is an object", body: #"{"code": {}}"#, envelope: .codeMsgData, code: "wrong_shape"),
    Row(what: "null is data, too", body: #"{"code": 0, "data": null}"#, envelope: .codeMsgData, code: "ok", data: "null"),
    Row(
      what: "of equal keys the first counts", body: #"{"code": 0, "code": 1, "data": 1, "data": 2}"#, envelope: .codeMsgData, code: "ok",
      data: "1"),
    Row(
      what: "escapes in keys and values", body: #"{"c\u006fde": "E\u0031\"", "msg": "a\u00e9"}"#, envelope: .codeMsgData, code: "service",
      serviceCode: "E1\"", message: "aé"),
    Row(what: "what stands behind the data is checked", body: #"{"code": 0, "data": 1, x}"#, envelope: .codeMsgData, code: "not_json"),
    Row(what: "data absent", body: #"{"code": 0}"#, envelope: .codeMsgData, code: "ok"),

    Row(
      what: "an own envelope, well", body: #"{"meta": {"ok": true}, "payload": {"items": [{"x": 1}, 2]}}"#, envelope: nested, code: "ok",
      data: #"{"x": 1}"#),
    Row(
      what: "an own envelope, refused", body: #"{"meta": {"ok": false, "error": {"id": 12, "text": "bad"}}}"#, envelope: nested,
      code: "service", serviceCode: "12", message: "bad"),
    Row(what: "an own envelope, another shape", body: #"{"meta": 3}"#, envelope: nested, code: "wrong_shape"),

    Row(
      what: "a failing status with an envelope inside", status: 422, body: #"{"code": "E5", "msg": "too short"}"#, envelope: .codeMsgData,
      code: "http_status", serviceCode: "E5", message: "422 Unprocessable Content: too short"),
    Row(
      what: "a failing status with an envelope that says success", status: 500, body: #"{"code": 0, "msg": "fine"}"#,
      envelope: .codeMsgData, code: "http_status", serviceCode: "0"),
    Row(what: "a failing status with HTML inside", status: 502, body: "<html>", envelope: .codeMsgData, code: "http_status"),
    Row(
      what: "an accepted status with a refusing envelope", status: 409, body: #"{"code": "E9", "msg": "twice"}"#, envelope: .codeMsgData,
      accept: [409], code: "service", serviceCode: "E9", message: "twice"),
  ]

  @Test(arguments: rows) func eachResponseHasItsOutcome(row: Row) {
    let normalizer = ResponseNormalizer(expect: row.expect, envelope: row.envelope, acceptStatus: row.accept)
    let response = HttpResponse(status: row.status, body: Array(row.body.utf8))
    switch normalizer.normalize(response) {
    case .success(let response):
      #expect(row.code == "ok")
      #expect(response.dataRange.map { String(decoding: response.body[$0], as: UTF8.self) } == row.data)
    case .failure(let error):
      #expect(error.code.rawValue == row.code)
      #expect(error.serviceCode == row.serviceCode)
      if let message = row.message { #expect(error.message == message) }
      #expect(error.sent == .sent && error.phase == .response)
      #expect(error.status == row.status, "the response comes with the failure")
      #expect(error.response?.text == row.body)
    }
  }

  @Test func theJsonOfAResponseIsTheEnvelopesDataOrTheBody() throws {
    let normalizer = ResponseNormalizer(expect: .any, envelope: .codeMsgData, acceptStatus: [])
    let response = try normalizer.normalize(HttpResponse(status: 200, body: Array(#"{"code":0,"data":{"n":5}}"#.utf8))).get()
    #expect(try response.json()["n"]?.int == 5)
    let plain = HttpResponse(status: 200, body: Array("oops".utf8))
    #expect(throws: HttpClientError.self) { try plain.json() }
  }

  @Test func bytesOfAnyKindNeverTrap() {
    for seed in 0..<UInt64(5_000) {
      var generator = SeededGenerator(seed: seed)
      let alphabet = Array(#"{}[]",:0-e1 codemsgdatstuinf\u"#.utf8) + [0xff, 0x80, 0]
      let body = (0..<Int.random(in: 0...40, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      for envelope in [nil, EnvelopeProfile.statusInfo, .codeMsgData] {
        let normalizer = ResponseNormalizer(expect: envelope == nil ? .jsonObject : .any, envelope: envelope, acceptStatus: [])
        _ = normalizer.normalize(HttpResponse(status: seed % 3 == 0 ? 400 : 200, body: body))
      }
    }
  }
}
