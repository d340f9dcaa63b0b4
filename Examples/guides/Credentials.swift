import Errand

func credentials(_ client: HttpClient, _ base: String) async throws {
  // Basic and Bearer are sent at once; Digest answers the server's challenge, and what it learned serves later requests.
  var request = HttpRequest(base + "/private")
  request.credentials = .basic(user: "ann", password: "secret")
  print(try await client.send(request).status)

  // Tokens from a source: one is fetched for all requests that need it, and once again when a server does not take it any more.
  final class Tokens: TokenSource {
    func token(for request: TokenRequest) async throws -> String { request.rejectedToken == nil ? "old" : "new" }
  }
  request = HttpRequest(base + "/token")
  request.tokenSource = Tokens()
  print(try await client.send(request).status)

  // Cookies, in a jar that any number of requests share.
  let jar = CookieJar()
  request = HttpRequest(base + "/login")
  request.cookies = .jar(jar)
  _ = try await client.send(request)
  print(jar.cookies().map(\.name))
}
