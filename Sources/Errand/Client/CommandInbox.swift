internal import EventLoop

/// What callers on any thread want of an engine, in their order: a cancel comes after the requests that were submitted before it, and before
/// those submitted later. However many come between two turns of the loop, they cost one wake-up.
final class CommandInbox: Sendable {
  enum Command: Sendable {
    case submit(RequestItem)
    // What is rare is boxed: a burst of submissions waits here in an array.
    indirect case refuse(DeliveryTicket, HttpClientError)
    case cancel(RequestHandle, (@Sendable (CancelReceipt) -> Void)?)
    indirect case cancelScope(CancelScope, (@Sendable ([CancelReceipt]) -> Void)?)
  }

  private let waiting = Locked<[Command]>([])

  /// Adds a command for `engine`, which is kept until it has done it.
  func add(_ command: Command, for engine: RequestEngine) {
    let isFirst = waiting.withLock { commands in
      commands.append(command)
      return commands.count == 1
    }
    if isFirst { EventLoop.shared.enqueue { engine.obey(self.takeAll()) } }
  }

  private func takeAll() -> [Command] {
    waiting.withLock { commands in
      let taken = commands
      commands = []
      return taken
    }
  }
}
