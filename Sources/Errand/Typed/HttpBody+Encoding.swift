public import FoundationEssentials

extension HttpBody {
  /// A value of the caller's own type as JSON, sent with `application/json`. Throws `invalid_request` with the field `body` for a value that can't be
  /// encoded, such as a number that is not finite.
  ///
  /// - Parameter encoder: For dates, data and keys in other forms than `JSONEncoder`'s own; nil takes a plain one.
  public static func json(encoding value: some Encodable, encoder: JSONEncoder? = nil) throws(HttpClientError) -> HttpBody {
    do {
      return .json(Array(try (encoder ?? JSONEncoder()).encode(value)))
    } catch {
      throw .unencodable(value, error, "body")
    }
  }
}
