internal import Errand
internal import HttpWire

/// Where and how a delegate's events are sent.
struct WebhookTarget: Sendable {
  var url = ""
  var unixSocket: String?
  /// Texts of secrets, or `secret:NAME`; the first one is today's.
  var secrets: [String] = []
  var headers = HttpHeaders()
  /// Tries of one event before it is given up.
  var maxAttempts: Int?
  var timeout: Duration?
  /// Only events of these types are sent; empty: all.
  var types: Set<String> = []
  /// Begins the ids of its events: they are never those of another delegate, or of another daemon.
  var identity = ""
  /// The description as it is kept: what came, with the secret and identity that were made for it.
  var json: [UInt8] = []
}
