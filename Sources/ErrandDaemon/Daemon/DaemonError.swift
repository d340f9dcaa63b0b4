/// Why the daemon can't start, in one sentence for whoever started it.
public struct DaemonError: Error, Sendable, Equatable, CustomStringConvertible {
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
