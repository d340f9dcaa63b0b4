import Errand

func cache(_ base: String, _ directory: String) async throws {
  // A private cache in memory and on disk; off unless the client or the request asks for it.
  var settings = HttpCache.Settings()
  settings.directory = directory
  var configuration = HttpClient.Configuration()
  configuration.cache = HttpCache(settings)
  let client = HttpClient(configuration)

  var request = HttpRequest(base + "/cached")
  request.cache = .default
  _ = try await client.send(request)
  let second = try await client.send(request)
  print(second.headers["Cache-Status"]?.contains("hit") ?? false, second.headers["Age"] ?? "-")

  // Ask the server, and take what is stored if the load fails.
  request.cache = .fallback
  print(try await client.send(request).status)

  // Only what is stored: 504 where nothing is.
  request = HttpRequest(base + "/never")
  request.cache = .onlyIfCached
  do { _ = try await client.send(request) } catch { print(error.status ?? 0) }
  await client.shutdown(grace: .zero)
}
