import Errand

func bodies(_ client: HttpClient, _ base: String, _ file: String) async throws {
  struct Item: Codable {
    var name: String
    var price: Int
  }

  // JSON of any Encodable. A body and no method is a POST.
  let item = try HttpBody.json(encoding: Item(name: "lamp", price: 20))
  print(try await client.send(HttpRequest(base + "/items", body: item)).status)

  // A form, a text, a file that is read while it is sent.
  _ = try await client.send(HttpRequest(base + "/items", body: .form([HttpParam("name", "lamp")])))
  _ = try await client.send(HttpRequest(base + "/items", method: .put, body: .text("lamp")))
  _ = try await client.send(HttpRequest(base + "/items", method: .put, body: .file(file)))

  // A multipart form: values, files, data, each with its name and type.
  let parts: [MultipartPart] = [
    .value("note", "new"), .file("picture", file), .data("data", Array("a,b".utf8), filename: "data.csv", contentType: "text/csv"),
  ]
  _ = try await client.send(HttpRequest(base + "/items", body: .multipart(parts)))

  // Whatever a sequence gives, with back-pressure. Made anew for a retry or a redirect.
  let lines = HttpBodyStream(contentType: "text/plain") {
    AsyncStream { continuation in
      for number in 1...3 { continuation.yield(Array("line \(number)\n".utf8)) }
      continuation.finish()
    }
  }
  _ = try await client.send(HttpRequest(base + "/items", body: .stream(lines)))

  // The answer: decoded by its Content-Encoding, as text by its charset, as one's own type.
  let response = try await client.send(HttpRequest(base + "/items"))
  print(response.contentType ?? "-", response.textEncoding, response.text.count)
  let items = try await client.send(HttpRequest(base + "/items"), as: [Item].self)
  print(items.map(\.name))

  // Piece by piece; reading pauses while they are not taken.
  let streamed = try await client.stream(HttpRequest(base + "/items"))
  var count = 0
  for try await piece in streamed.body { count += piece.count }
  print(count)
}
