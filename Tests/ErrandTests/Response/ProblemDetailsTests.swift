import HttpWire
import Testing

@testable import Errand

@Suite struct ProblemDetailsTests {
  private static func response(
    _ body: String, type: String = "application/problem+json", status: Int = 403
  ) -> HttpResponse {
    HttpResponse(status: status, headers: ["Content-Type": type], body: Array(body.utf8))
  }

  private static func failure(_ response: HttpResponse) -> HttpClientError? {
    if case .failure(let error) = ResponseNormalizer(expect: .any, envelope: nil, acceptStatus: []).normalize(response) {
      error
    } else {
      nil
    }
  }

  @Test func everyMemberIsRead() throws {
    let body = #"""
      {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "status": 403,
       "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
       "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
      """#
    let error = try #require(Self.failure(Self.response(body)))
    let problem = try #require(error.problem)
    #expect(problem.type == "https://example.com/probs/out-of-credit" && problem.title == "You do not have enough credit.")
    #expect(problem.status == 403 && problem.instance == "/account/12345/msgs/abc")
    #expect(problem.detail == "Your current balance is 30, but that costs 50.")
    #expect(
      problem.extensions
        == JsonObject([
          .init(key: "balance", value: 30), .init(key: "accounts", value: ["/account/12345", "/account/67890"]),
        ]))
    #expect(
      error.message == "403 Forbidden: You do not have enough credit.: Your current balance is 30, but that costs 50.")
    #expect(error.code == .httpStatus && error.response?.text == body)
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let body: String
    var type = "application/problem+json"
    var status = 403
    let message: String
    var isProblem = true
    var testDescription: String { "\(type): \(body.prefix(60))" }
  }

  @Test(arguments: [
    Row(body: "{}", message: "403 Forbidden"),
    Row(body: #"{"title": "Forbidden", "detail": "not yours"}"#, message: "403 Forbidden: not yours"),
    Row(body: #"{"title": "No"}"#, type: "Application/Problem+JSON; charset=utf-8", message: "403 Forbidden: No"),
    Row(body: #"{"title": 3, "detail": ["a"], "status": "403", "type": null}"#, message: "403 Forbidden"),
    Row(body: #"{"title": "a\r\nb\u001b[31m\u202ec"}"#, message: "403 Forbidden: a  b [31m c"),
    Row(body: #"{"title": "x"}"#, type: "application/json", message: "403 Forbidden", isProblem: false),
    Row(body: #"{"title": "x"}"#, type: "application/problem+xml", message: "403 Forbidden", isProblem: false),
    Row(body: #"["title"]"#, message: "403 Forbidden", isProblem: false),
    Row(body: #"{"title": "x""#, message: "403 Forbidden", isProblem: false),
    Row(body: "", message: "403 Forbidden", isProblem: false),
    Row(body: #"{"title": "a", "title": "b"}"#, message: "403 Forbidden: b"),
    Row(body: #"{"status": 99999999999999999999, "title": "t"}"#, message: "403 Forbidden: t"),
    Row(body: #"{"title": "Unavailable"}"#, status: 503, message: "503 Service Unavailable: Unavailable"),
  ])
  func eachDocumentGivesItsMessage(row: Row) throws {
    let error = try #require(Self.failure(Self.response(row.body, type: row.type, status: row.status)))
    #expect(error.message == row.message)
    #expect((error.problem != nil) == row.isProblem)
  }

  @Test func aHostileDocumentGivesAShortMessageOrNone() throws {
    let long = String(repeating: "e\u{301}", count: 10_000)
    let error = try #require(Self.failure(Self.response(#"{"title": "\#(long)", "detail": "\#(long)"}"#)))
    #expect(error.message.utf8.count < 3_000 && error.message.contains("…"))
    #expect(error.problem?.title == long, "the program gets it whole")
    #expect(error.problem.flatMap(\.summary).map { $0.utf8.count < 3_000 } == true)

    let huge = #"{"title": "\#(String(repeating: "x", count: ProblemDetails.maximumBytes))"}"#
    let large = try #require(Self.failure(Self.response(huge)))
    #expect(large.message == "403 Forbidden" && large.problem == nil)

    let deep = #"{"a": "# + String(repeating: "[", count: 30_000)
    #expect(Self.failure(Self.response(deep))?.problem == nil)
  }

  @Test func otherFailuresHaveNone() {
    #expect(HttpClientError(.connect, message: "no").problem == nil)
    #expect(Self.failure(Self.response("{}", status: 200)) == nil, "a success is none, whatever its type")
  }
}
