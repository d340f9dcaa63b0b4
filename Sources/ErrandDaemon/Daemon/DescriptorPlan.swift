import Glibc

/// Who may use how many of the file descriptors that the process may have, so that requests never leave none for the API.
struct DescriptorPlan: Sendable, Equatable {
  /// For the state files, the log, the resolver and the loop itself.
  private static let files = 20
  /// What the API and the files have together at least.
  private static let leastKept = 32

  let clientConnections: Int
  let apiConnections: Int

  /// The wanted numbers if they fit; else the client leaves at least a quarter, and the API takes what is left.
  init(limit: Int, clientConnections: Int, apiConnections: Int) {
    let kept = max(limit / 4, DescriptorPlan.leastKept)
    let room = max(limit - DescriptorPlan.files, 2)
    // An API that is told to be small leaves more to the client.
    let client = min(clientConnections, max(room - min(apiConnections, kept - DescriptorPlan.files), 1))
    self.clientConnections = client
    self.apiConnections = min(apiConnections, max(room - client, 1))
  }

  /// The limit in force.
  static var currentLimit: Int {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Int(clamping: limit.rlim_cur) : 1_024
  }
}

extension DaemonConfiguration {
  /// With numbers of connections lowered to what fits under the limit of descriptors; what was lowered is told.
  func fitted(to limit: Int, log: Log) -> DaemonConfiguration {
    let plan = DescriptorPlan(limit: limit, clientConnections: client.maxConnections, apiConnections: limits.apiConnections)
    var fitted = self
    func lower(_ name: String, _ path: WritableKeyPath<DaemonConfiguration, Int>, to value: Int) {
      guard value < self[keyPath: path] else { return }
      fitted[keyPath: path] = value
      log.write(
        .warning, "setting lowered to fit the limit of file descriptors",
        [("setting", name), ("from", "\(self[keyPath: path])"), ("to", "\(value)"), ("descriptors", "\(limit)")])
    }
    lower("client.max_connections", \.client.maxConnections, to: plan.clientConnections)
    lower("limits.api_connections", \.limits.apiConnections, to: plan.apiConnections)
    return fitted
  }
}
