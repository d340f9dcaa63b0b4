/// Why there is no token, in words without secrets.
struct TokenFailure: Error, Sendable {
  let words: String

  init(_ words: String) { self.words = words }

  init(of error: any Error) {
    switch error {
    case let error as HttpClientError: words = error.description
    case is CancellationError: words = "it was cancelled"
    default: words = "\(type(of: error))"
    }
  }
}
