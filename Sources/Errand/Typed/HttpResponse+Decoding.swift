public import FoundationEssentials
internal import HttpWire

extension HttpResponse {
  /// The body, or the data of its envelope, as a type of the caller's own. Not for the loop: how long it takes is up to the type.
  ///
  /// Fails with `not_json` where the body is no JSON, and with `wrong_shape` where it is not that of the type: the message says where, as in
  /// `items[3].price`, and what is wrong there. Both have the response.
  /// - Parameter decoder: For dates, data and keys in other forms than `JSONDecoder`'s own; nil takes a plain one. May be shared between threads.
  public func decode<T: Decodable & SendableMetatype>(_ type: T.Type, decoder: JSONDecoder? = nil) throws(HttpClientError) -> T {
    if let empty = (T.self as? any BodilessDecodable.Type)?.fromNoBody as? T, body.isEmpty || lacksData || T.self == NoContent.self {
      return empty
    }
    if lacksData { throw failure(.wrongShape, "the envelope has no data") }
    if body.isEmpty { throw failure(.notJson, "JSON was asked for and the \(status) has no body") }
    let data = Data(dataRange.map { body[$0] } ?? body[...])
    let decoder = decoder ?? JSONDecoder()
    do {
      return try decoder.decode(T.self, from: data)
    } catch let error as DecodingError {
      throw failure(error, data, T.self, decoder)
    } catch {
      throw failure(.wrongShape, "the JSON does not fit \(T.self): \(PeerText.line("\(error)"))")
    }
  }

  private func failure<T: Decodable & SendableMetatype>(
    _ error: DecodingError, _ data: Data, _ type: T.Type, _ decoder: JSONDecoder
  ) -> HttpClientError {
    do throws(JsonError) {
      try Json.validate(Array(data))
    } catch {
      return failure(.notJson, "the body is not JSON: \(error)")
    }
    return failure(.wrongShape, "the JSON does not fit \(T.self): \(DecodingFault(error, in: data, as: T.self, with: decoder))")
  }

  private func failure(_ code: HttpClientError.Code, _ message: String) -> HttpClientError {
    HttpClientError(
      code, phase: .response, message: message, sent: .sent, response: self, attempts: attempts, timings: timings)
  }
}
