import Errand

/// Runs the example of one guide against a server: `errand-guides GUIDE BASE PATH`.
let words = CommandLine.arguments
guard words.count == 4 else { fatalError("usage: errand-guides GUIDE BASE PATH") }
let (client, base, path) = (HttpClient.shared, words[2], words[3])
do {
  switch words[1] {
  case "bodies": try await bodies(client, base, path)
  case "downloads": try await downloads(client, base, path)
  case "services": try await services(base)
  case "credentials": try await credentials(client, base)
  default: try await cache(base, path)
  }
} catch {
  print("failed: \(error)")
}
await client.shutdown(grace: .seconds(5))
