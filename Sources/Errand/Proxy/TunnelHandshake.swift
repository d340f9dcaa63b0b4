internal import HttpWire

/// The dialogue with a proxy at the start of a connection, after which the connection leads to the origin. Pure: bytes in, bytes out.
protocol TunnelHandshake: Sendable {
  /// What is sent first. Called once, before anything else.
  mutating func start() -> [UInt8]
  /// Takes what came from the proxy, cut anywhere.
  mutating func received(_ bytes: [UInt8]) -> TunnelStep
  /// What it means that the proxy closes the connection now.
  var closed: TunnelError { get }
  /// After `.done`: what the origin has said already. Empty unless that was allowed.
  var surplus: [UInt8] { get }
}

/// What to do next in a ``TunnelHandshake``.
enum TunnelStep: Sendable, Equatable {
  /// Wait for more.
  case needsMore
  case send([UInt8])
  /// The connection leads to the origin.
  case done
  /// The connection is of no use.
  case failed(TunnelError)
}

/// Why there is no tunnel.
struct TunnelError: Error, Sendable, Hashable, CustomStringConvertible {
  enum Code: String, Sendable {
    /// The proxy said no.
    case denied
    /// The proxy asks for credentials, or does not take those it got.
    case credentials
    /// The proxy said that it can't reach the origin.
    case unreachable
    /// The proxy can't be asked for this.
    case unsupported
    /// What came is not the protocol.
    case malformed
    /// The answer passes a limit.
    case tooLarge = "too_large"
    /// The connection ended within the dialogue.
    case closed
  }

  let code: Code
  /// What the proxy did, to go after its name, without secrets; what the proxy wrote is in it in printable ASCII only.
  let message: String
  /// What a proxy that asks for credentials would take.
  var challenges: [AuthChallenge] = []

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The proxy works, and said no.
  var isAnswer: Bool {
    switch code {
    case .denied, .credentials, .unreachable: true
    case .unsupported, .malformed, .tooLarge, .closed: false
    }
  }

  /// Whether the same may succeed another time.
  var mayPass: Bool { code == .unreachable || code == .closed }

  var description: String { "the proxy \(message)" }
}

/// Text of a peer for people: printable ASCII as it is, the rest as `?`, cut after `limit` bytes.
func printable(_ text: String, limit: Int = 80) -> String {
  let shown = text.utf8.prefix(limit).map { $0 >= 0x20 && $0 < 0x7F ? $0 : UInt8(ascii: "?") }
  return String(decoding: shown, as: UTF8.self) + (text.utf8.count > limit ? "..." : "")
}
