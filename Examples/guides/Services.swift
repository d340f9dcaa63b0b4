import Errand

func services(_ base: String) async throws {
  // Services by name and version: where they are, and what their requests have in common.
  let document = """
    {"services": {"stock": {"versions": {
      "1": {"url": "\(base)/v1"},
      "2": {"url": "\(base)/v2", "headers": {"X-Client": "errand"}, "timeouts": {"total_ms": 5000}, "envelope": "code-msg-data"}}}}}
    """
  var configuration = HttpClient.Configuration()
  configuration.catalog = CatalogStore(try ServiceCatalog(json: Array(document.utf8)))
  // A service that says "session no longer valid" is reported once, until a request of it succeeds again.
  configuration.onSessionInvalid = { print("log in again: \($0)") }
  let client = HttpClient(configuration)

  // A request by its service; the newest version if none is named.
  var request = HttpRequest("")
  request.service = "stock"
  request.path = "/quotes/ACME"
  let response = try await client.send(request)
  print(try response.json())

  // A request as a type: its properties are the parameters.
  struct Quote: Decodable {
    var symbol: String
    var price: Int
  }
  struct FindQuote: HttpCall {
    typealias Response = Quote
    var path: String { "/quotes/ACME" }
    var service: String? { "stock" }
    var maxAge: Int?
    static let keyMapping = ["maxAge": "max_age"]
  }
  let quote = try await client.send(FindQuote(maxAge: 60))
  print(quote.symbol, quote.price)

  // What there is not is told with what there is.
  request.service = "stok"
  do { _ = try await client.send(request) } catch { print(error.message) }
  await client.shutdown(grace: .zero)
}
