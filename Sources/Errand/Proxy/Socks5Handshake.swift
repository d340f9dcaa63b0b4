/// Asks a SOCKS 5 proxy for a tunnel (RFC 1928), with user and password where there are any (RFC 1929).
struct Socks5Handshake: TunnelHandshake {
  /// Where the tunnel leads.
  enum Destination: Sendable, Hashable {
    /// Resolved at the proxy.
    case name(String)
    /// The 4 or 16 bytes of an address.
    case address([UInt8])

    /// An address in text as such, which needs nobody to resolve it, and other text as a name.
    init(host: String) {
      self = ipOctets(host).map { .address($0) } ?? .name(host)
    }
  }

  private enum State {
    case method
    case login
    case reply
    case done
    case failed(TunnelError)
  }

  private static let version: UInt8 = 5
  private static let loginVersion: UInt8 = 1
  private static let noLogin: UInt8 = 0
  private static let passwordLogin: UInt8 = 2

  private let request: [UInt8]
  private let credentials: ProxyCredentials?
  private let destination: String
  private let allowsSurplus: Bool
  private var state = State.method
  /// What came and can't be read before more comes: at most 262 bytes of a reply, and what came with them.
  private var pending: [UInt8] = []
  private(set) var surplus: [UInt8] = []

  /// Throws `unsupported` for a name that is empty or longer than the 255 bytes there is room for, and for credentials of such lengths.
  /// `allowsSurplus`: as for ``ConnectHandshake``.
  init(to target: Destination, port: UInt16, credentials: ProxyCredentials?, allowsSurplus: Bool = false) throws(TunnelError) {
    var request: [UInt8] = [Self.version, 1, 0]
    switch target {
    case .address(let octets) where octets.count == 4: request += [1] + octets
    case .address(let octets) where octets.count == 16: request += [4] + octets
    case .address: throw TunnelError(.unsupported, "can't be asked for an address that is neither IPv4 nor IPv6")
    case .name(let name):
      guard let length = UInt8(exactly: name.utf8.count), length > 0 else {
        throw TunnelError(.unsupported, "can't be asked for a name of \(name.utf8.count) bytes: SOCKS 5 takes 1 to 255")
      }
      request += [3, length] + name.utf8
    }
    if let credentials, !(1...255).contains(credentials.user.count) || credentials.password.count > 255 {
      throw TunnelError(.unsupported, "can't be given the credentials: SOCKS 5 takes a user of 1 to 255 bytes and a password of up to 255")
    }
    self.request = request + [UInt8(port >> 8), UInt8(port & 0xFF)]
    self.credentials = credentials
    self.allowsSurplus = allowsSurplus
    destination = "\(target) port \(port)"
  }

  mutating func start() -> [UInt8] {
    credentials == nil ? [Self.version, 1, Self.noLogin] : [Self.version, 2, Self.noLogin, Self.passwordLogin]
  }

  mutating func received(_ bytes: [UInt8]) -> TunnelStep {
    pending += bytes
    switch state {
    case .method: return methodChosen()
    case .login: return loggedIn()
    case .reply: return replied()
    case .done: return keepSurplus()
    case .failed(let error): return .failed(error)
    }
  }

  var closed: TunnelError {
    let step =
      switch state {
      case .method: "before it answered the greeting"
      case .login: "when it got the credentials"
      case .reply, .done, .failed: "before it answered the request for \(destination)"
      }
    return TunnelError(.closed, "closed the connection \(step)")
  }

  // MARK: The answers, in their order

  private mutating func methodChosen() -> TunnelStep {
    guard pending.first ?? Self.version == Self.version else { return malformed("does not speak SOCKS 5") }
    guard let method = take(2)?.last else { return .needsMore }
    guard pending.isEmpty else { return answeredEarly() }
    switch (method, credentials) {
    case (Self.noLogin, _):
      state = .reply
      return .send(request)
    case (Self.passwordLogin, let credentials?):
      state = .login
      return .send(
        [Self.loginVersion, UInt8(truncatingIfNeeded: credentials.user.count)] + credentials.user
          + [UInt8(truncatingIfNeeded: credentials.password.count)] + credentials.password)
    case (0xFF, nil):
      return fail(.credentials, "does not let in without credentials")
    case (0xFF, _):
      return fail(.credentials, "takes no user and password")
    default:
      return malformed("chose a way to sign in that was not offered (\(method))")
    }
  }

  private mutating func loggedIn() -> TunnelStep {
    // Some proxies give another version here, so only the status counts, as in curl.
    guard let status = take(2)?.last else { return .needsMore }
    guard pending.isEmpty else { return answeredEarly() }
    guard status == 0 else { return fail(.credentials, "does not take the credentials it got (status \(status))") }
    state = .reply
    return .send(request)
  }

  private mutating func replied() -> TunnelStep {
    guard pending.first ?? Self.version == Self.version else { return malformed("answered with what is no SOCKS 5 reply") }
    // A refusal may be cut short by the end of the connection.
    guard pending.count >= 2 else { return .needsMore }
    if pending[1] != 0 { return fail(Socks5Reply.code(pending[1]), "\(Socks5Reply.words(pending[1])) (\(destination))") }
    guard pending.count >= 5 else { return .needsMore }
    let addressLength: Int
    switch pending[3] {
    case 1: addressLength = 4
    case 3: addressLength = 1 + Int(pending[4])
    case 4: addressLength = 16
    default: return malformed("answered with an address of an unknown kind (\(pending[3]))")
    }
    guard take(4 + addressLength + 2) != nil else { return .needsMore }
    state = .done
    return keepSurplus()
  }

  // MARK: Helpers

  private mutating func take(_ count: Int) -> [UInt8]? {
    guard pending.count >= count else { return nil }
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }

  private mutating func keepSurplus() -> TunnelStep {
    guard pending.isEmpty || allowsSurplus else { return malformed("sent more than its reply") }
    surplus += pending
    pending = []
    return .done
  }

  private mutating func answeredEarly() -> TunnelStep { malformed("answered before it was asked") }

  private mutating func malformed(_ message: String) -> TunnelStep { fail(.malformed, message) }

  private mutating func fail(_ code: TunnelError.Code, _ message: String) -> TunnelStep {
    let error = TunnelError(code, message)
    state = .failed(error)
    pending = []
    return .failed(error)
  }
}

extension Socks5Handshake.Destination: CustomStringConvertible {
  var description: String {
    switch self {
    case .name(let name): printable(name, limit: 255)
    case .address(let octets): ipText(octets) ?? "an address"
    }
  }
}

/// The reply codes of RFC 1928 6, in words.
enum Socks5Reply {
  static func words(_ reply: UInt8) -> String {
    switch reply {
    case 1: "failed without saying why"
    case 2: "does not allow this connection by its rules"
    case 3: "can't reach the network"
    case 4: "can't reach the host"
    case 5: "was refused the connection by the host"
    case 6: "can't reach the host: TTL expired"
    case 7: "does not know the command CONNECT"
    case 8: "does not take this kind of address"
    default: "failed with an unknown code (\(reply))"
    }
  }

  static func code(_ reply: UInt8) -> TunnelError.Code {
    switch reply {
    case 2, 7, 8: .denied
    default: .unreachable
    }
  }
}
