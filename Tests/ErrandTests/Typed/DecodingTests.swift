import FoundationEssentials
import HttpWire
import Testing

@testable import Errand

private struct Item: Decodable, Equatable, Sendable {
  var name: String
  var price: Int
  var tags: [String]?
}

private enum Colour: String, Decodable { case red, green }

private struct Page: Decodable {
  var items: [Item]
  var next: URL?
  var at: Date?
  var colours: [String: Colour]?
  var small: Int8?
  var raw: Data?
}

@Suite struct DecodingTests {
  private static func response(_ body: String, status: Int = 200) -> HttpResponse { HttpResponse(status: status, body: Array(body.utf8)) }

  @Test func objectsArraysAndScalarsAreRead() throws {
    #expect(try Self.response(#"{"name": "lamp", "price": 3, "more": true}"#).decode(Item.self) == Item(name: "lamp", price: 3))
    #expect(try Self.response(#"[{"name": "a", "price": 1}]"#).decode([Item].self).count == 1)
    #expect(try Self.response(" 17 \n").decode(Int.self) == 17)
    #expect(try Self.response(#""é\u00e9""#).decode(String.self) == "éé")
    #expect(try Self.response("true").decode(Bool.self))
    #expect(try Self.response("[1, null]").decode([Int?].self) == [1, nil])
    #expect(try Self.response(#"{"a": {"b": [1.5]}}"#).decode([String: [String: [Double]]].self) == ["a": ["b": [1.5]]])
  }

  @Test func theDataOfAnEnvelopeIsWhatIsRead() throws {
    let normalizer = ResponseNormalizer(expect: .any, envelope: .codeMsgData, acceptStatus: [])
    func opened(_ body: String) throws -> HttpResponse { try normalizer.normalize(Self.response(body)).get() }
    #expect(try opened(#"{"code": 0, "data": {"name": "x", "price": 2}}"#).decode(Item.self).price == 2)
    #expect(try opened(#"{"code": 0, "data": null}"#).decode(Item?.self) == nil)
    #expect(try opened(#"{"code": 0}"#).decode(Item?.self) == nil)
    #expect(try opened(#"{"code": 0}"#).decode(NoContent.self) == NoContent())
    let error = #expect(throws: HttpClientError.self) { try opened(#"{"code": 0}"#).decode(Item.self) }
    #expect(error?.code == .wrongShape && error?.message == "the envelope has no data")
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let body: String
    let message: String
    var testDescription: String { body }
  }

  @Test(arguments: [
    Row(body: #"[]"#, message: "the JSON does not fit Page: Expected to decode Dictionary<String, Any> but found an array instead."),
    Row(body: #"{}"#, message: #"the JSON does not fit Page: the member "items" is missing"#),
    Row(body: #"{"items": 3}"#, message: "the JSON does not fit Page: at items: Expected to decode Array<Any> but found number instead."),
    Row(
      body: #"{"items": [{"name": "a", "price": 1}, {"name": "b", "price": "x"}]}"#,
      message: "the JSON does not fit Page: at items[1].price: Expected to decode Int but found a string instead."),
    Row(body: #"{"items": [{"name": "a"}]}"#, message: #"the JSON does not fit Page: at items[0]: the member "price" is missing"#),
    Row(
      body: #"{"items": [{"name": null, "price": 1}]}"#,
      message: "the JSON does not fit Page: at items[0].name: null, or nothing, stands where String is wanted"),
    Row(
      body: #"{"items": [{"name": "a", "price": 1}, {"name": "a", "price": 1.5}]}"#,
      message: "the JSON does not fit Page: at items[1].price: the number can't be read as Int: it has a fraction, or is out of range"),
    Row(
      body: #"{"items": [], "small": 1000}"#,
      message: "the JSON does not fit Page: at small: the number can't be read as Int8: it has a fraction, or is out of range"),
    Row(
      body: #"{"items": [], "at": "tomorrow"}"#,
      message: "the JSON does not fit Page: at at: Expected date string to be ISO8601-formatted."),
    Row(body: #"{"items": [], "raw": "!"}"#, message: "the JSON does not fit Page: at raw: Encountered Data is not valid Base64."),
    Row(
      body: #"{"items": [], "colours": {"sky": "blue"}}"#,
      message: "the JSON does not fit Page: at colours.sky: Cannot initialize Colour from invalid String value blue"),
  ])
  func aMismatchSaysWhereAndWhat(row: Row) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let error = #expect(throws: HttpClientError.self) { try Self.response(row.body).decode(Page.self, decoder: decoder) }
    #expect(error?.code == .wrongShape && error?.phase == .response && error?.sent == .sent)
    #expect(error?.message == row.message)
    #expect(error?.response?.text == row.body, "the response comes with it")
  }

  @Test(arguments: ["", "<html>", #"{"items": ["#, "[1] 2", "\u{0}", "nul"])
  func whatIsNoJsonIsSaidToBeNone(body: String) {
    let error = #expect(throws: HttpClientError.self) { try Self.response(body).decode([Int].self) }
    #expect(error?.code == .notJson && error?.response?.text == body)
  }

  @Test func aResponseWithoutABodyIsNilOrNoContent() throws {
    #expect(try Self.response("", status: 204).decode(Item?.self) == nil)
    #expect(try Self.response("", status: 204).decode(NoContent.self) == NoContent())
    #expect(try Self.response("<html>").decode(NoContent.self) == NoContent())
    #expect(throws: HttpClientError.self) { try Self.response("<html>").decode(Item?.self) }
  }

  @Test func aHostileDocumentGivesAShortMessage() {
    let key = String(repeating: "k\u{202E}\n", count: 100_000)
    var bytes: [UInt8] = []
    JsonValue.object(JsonObject([.init(key: key, value: ["x"])])).write(to: &bytes)
    let error = #expect(throws: HttpClientError.self) { try HttpResponse(status: 200, body: bytes).decode([String: [Int]].self) }
    #expect(error.map { $0.message.utf8.count < 1_000 && !$0.message.contains("\n") && !$0.message.contains("\u{202E}") } == true)
    let deep = String(repeating: "[", count: 100_000)
    #expect(throws: HttpClientError.self) { try Self.response(deep).decode([Int].self) }
    let deepObject = String(repeating: #"{"a":"#, count: 1_000) + "1" + String(repeating: "}", count: 1_000)
    #expect(throws: HttpClientError.self) { try Self.response(deepObject).decode(Nested.self) }
  }

  private final class Nested: Decodable {
    let a: Nested?
  }

  @Test func aDecoderOfTheCallersReadsItsOwnForms() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .secondsSince1970
    struct Event: Decodable { var startsAt: Date }
    #expect(try Self.response(#"{"starts_at": 60}"#).decode(Event.self, decoder: decoder).startsAt == Date(timeIntervalSince1970: 60))
    let error = #expect(throws: HttpClientError.self) { try Self.response(#"{"starts_at": "x"}"#).decode(Event.self, decoder: decoder) }
    #expect(error?.message.contains("at startsAt") == true)
  }

  @Test func anErrorOfATypesOwnIsWrongShapeToo() {
    struct Even: Decodable {
      struct Odd: Error {}
      init(from decoder: any Decoder) throws {
        if try decoder.singleValueContainer().decode(Int.self) % 2 == 1 { throw Odd() }
      }
    }
    let error = #expect(throws: HttpClientError.self) { try Self.response("3").decode(Even.self) }
    #expect(error?.code == .wrongShape && error?.message == "the JSON does not fit Even: Odd()")
  }
}
