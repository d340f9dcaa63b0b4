internal import Dispatch
internal import Errand
internal import EventLoop

/// A secret as its file had it when it was last read: at the start, and whenever a server does not take it any more as a token. So who logs in again
/// just replaces the file.
final class FileSecret: TokenSource {
  private static let queue = DispatchQueue(label: "errand.secrets")

  private let name: String
  private let path: String
  private let text: Locked<String>

  /// Reads the file: not for the loop.
  init(_ name: String, path: String) throws(DaemonError) {
    self.name = name
    self.path = path
    text = Locked(FileSecret.line(try StateFile.read(path, for: "client.secrets.\(name)")))
  }

  var current: String { text.withLock { $0 } }

  func token(for request: TokenRequest) async throws -> String {
    guard let rejected = request.rejectedToken else { return current }
    let new = try await withCheckedThrowingContinuation { continuation in
      FileSecret.queue.async { continuation.resume(with: self.readAnew()) }
    }
    guard new != rejected else {
      throw HttpClientError(.denied, message: "the file of the secret \(name) still holds the one that was rejected")
    }
    return new
  }

  private func readAnew() -> Result<String, any Error> {
    do throws(SystemError) {
      guard let new = try StateFile.read(path).map(FileSecret.line) else {
        return .failure(HttpClientError(.file, message: "the file of the secret \(name) is gone"))
      }
      text.withLock { $0 = new }
      return .success(new)
    } catch {
      return .failure(HttpClientError(.file, message: "can't read the file of the secret \(name): \(error.reason)"))
    }
  }

  /// Without a line end at its end.
  private static func line(_ text: String) -> String { text.last?.isNewline == true ? String(text.dropLast()) : text }
}
