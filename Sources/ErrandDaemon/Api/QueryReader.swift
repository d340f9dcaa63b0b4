internal import EventLoop
internal import HttpServer
internal import HttpWire

/// The parameters of a call's query. Each is taken once; what is left over at the end is refused by name.
struct QueryReader {
  private var pairs: [(String, String)]

  @LoopActor
  init(_ request: ServerRequest) throws(Problem) {
    guard request.queryText != nil else {
      pairs = []
      return
    }
    do throws(WireError) {
      pairs = try request.query()
    } catch {
      throw Problem(kind: "invalid_value", status: 400, title: "Invalid value", detail: error.message, place: "query")
    }
  }

  mutating func text(_ name: String) throws(Problem) -> String? {
    guard let index = pairs.firstIndex(where: { $0.0 == name }) else { return nil }
    let value = pairs.remove(at: index).1
    if pairs.contains(where: { $0.0 == name }) { throw .invalidValue(name, "is given twice", place: "query") }
    return value
  }

  mutating func integer<Number: FixedWidthInteger>(_ name: String, _ range: ClosedRange<Number>) throws(Problem) -> Number? {
    guard let text = try text(name) else { return nil }
    guard let value = Number(text), !text.hasPrefix("+"), range.contains(value) else {
      throw .invalidValue(name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)", place: "query")
    }
    return value
  }

  /// Seconds, with a fraction if wanted.
  mutating func seconds(_ name: String, upTo limit: Int) throws(Problem) -> Duration? {
    guard let text = try text(name) else { return nil }
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let value = Double(text), value <= Double(limit) else {
      throw .invalidValue(name, "must be seconds from 0 to \(limit)", place: "query")
    }
    return .milliseconds(Int64(value * 1_000))
  }

  func finish() throws(Problem) {
    guard let (name, _) = pairs.first else { return }
    throw Problem(
      kind: "unknown_parameter", status: 400, title: "Unknown parameter",
      detail: "the query parameter \(Problem.excerpt(name)) is not known here", field: name, place: "query")
  }
}
