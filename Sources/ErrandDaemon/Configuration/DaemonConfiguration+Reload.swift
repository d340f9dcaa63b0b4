extension DaemonConfiguration {
  /// The names of settings that `new` has changed and that only a restart brings into force.
  func needingRestart(_ new: DaemonConfiguration) -> [String] {
    var names: [String] = []
    func compare<Value: Equatable>(_ name: String, _ path: KeyPath<DaemonConfiguration, Value>) {
      if self[keyPath: path] != new[keyPath: path] { names.append(name) }
    }
    compare("socket", \.socket)
    compare("socket_mode", \.socketMode)
    compare("listen", \.listen)
    compare("token", \.token)
    compare("token_file", \.tokenFile)
    compare("state_dir", \.stateDir)
    compare("log.queue_lines", \.log.queueLines)
    compare("client", \.client)
    compare("limits.submit_bytes", \.limits.submitBytes)
    compare("limits.api_connections", \.limits.apiConnections)
    compare("limits.api_write_timeout_ms", \.limits.apiWriteTimeoutMs)
    compare("journal.enabled", \.journal.enabled)
    compare("journal.synchronous", \.journal.synchronous)
    compare("journal.inline_bytes", \.journal.inlineBytes)
    compare("webhooks.max_connections", \.webhooks.maxConnections)
    return names
  }
}

extension Log {
  func configure(_ settings: LogSettings) {
    configure(level: LogLevel(name: settings.level) ?? .info, format: LogFormat(rawValue: settings.format) ?? .logfmt)
  }
}
