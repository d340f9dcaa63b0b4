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
    let text: String?
    do throws(SystemError) {
      text = try FileSecret.read(path)
    } catch {
      throw DaemonError("client.secrets.\(name): can't read \(path): \(error.reason)")
    }
    guard let text else { throw DaemonError("client.secrets.\(name): there is no file \(path)") }
    self.text = Locked(text)
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
      guard let new = try FileSecret.read(path) else {
        return .failure(HttpClientError(.file, message: "the file of the secret \(name) is gone"))
      }
      text.withLock { $0 = new }
      return .success(new)
    } catch {
      return .failure(HttpClientError(.file, message: "can't read the file of the secret \(name): \(error.reason)"))
    }
  }

  /// The file's text, without a line end at its end; nil if there is none.
  private static func read(_ path: String) throws(SystemError) -> String? {
    guard let text = try StateFile.read(path) else { return nil }
    return text.last?.isNewline == true ? String(text.dropLast()) : text
  }
}
