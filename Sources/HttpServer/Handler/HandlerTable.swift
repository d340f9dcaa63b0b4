internal import EventLoop
internal import HttpWire

/// The handlers in the order in which they are asked.
@LoopActor
struct HandlerTable {
  enum Route {
    case handler(any ResponseHandler)
    case wrongMethod(allow: [HttpMethod])
    case none
  }

  private var handlers: [(priority: Int, handler: any ResponseHandler)] = []

  nonisolated init() {}

  mutating func add(_ handler: any ResponseHandler) {
    let priority = handler.priority
    let index = handlers.firstIndex { $0.priority < priority } ?? handlers.endIndex
    handlers.insert((priority, handler), at: index)
  }

  func route(_ head: RequestHead, path: String) -> Route {
    var allowed: [HttpMethod] = []
    for (_, handler) in handlers {
      switch handler.decision(for: head, path: path) {
      case .handles: return .handler(handler)
      case .notMine: continue
      case .wrongMethod(let allow):
        for method in allow where !allowed.contains(method) { allowed.append(method) }
      }
    }
    return allowed.isEmpty ? .none : .wrongMethod(allow: allowed)
  }
}
