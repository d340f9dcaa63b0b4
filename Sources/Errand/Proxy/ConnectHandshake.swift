internal import HttpWire

/// Asks an HTTP proxy for a tunnel with CONNECT (RFC 9110 9.3.6). Nothing of the request that will go through is in it.
struct ConnectHandshake: TunnelHandshake {
  private enum State {
    case reading
    case done
    case failed(TunnelError)
  }

  private let authority: String
  private let userAgent: String
  private let credentials: ProxyCredentials?
  private let authorization: String?
  private let allowsSurplus: Bool
  private var reader: ResponseReader
  private var state = State.reading
  private(set) var surplus: [UInt8] = []

  /// - Parameters:
  ///   - host: As a URL has it, without brackets.
  ///   - userAgent: Left out where it is empty or can't be sent.
  ///   - authorization: What is said in place of the credentials in Basic.
  ///   - allowsSurplus: The origin may speak first, as in HTTP/2 in the clear. Otherwise bytes after the answer are refused: nobody
  ///     behind the tunnel was asked anything yet.
  init(
    host: String, port: UInt16, userAgent: String, credentials: ProxyCredentials?, authorization: String? = nil,
    limits: WireLimits = WireLimits(), allowsSurplus: Bool = false
  ) {
    authority = ConnectHandshake.authority(host: host, port: port)
    self.userAgent = userAgent
    self.credentials = credentials
    self.authorization = authorization ?? credentials?.basic
    self.allowsSurplus = allowsSurplus
    reader = ResponseReader(requestMethod: .connect, limits: limits)
  }

  /// The target of CONNECT (RFC 9112 section 3.2.3).
  static func authority(host: String, port: UInt16) -> String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  mutating func start() -> [UInt8] {
    var fields: HttpHeaders = ["User-Agent": userAgent]
    if userAgent.isEmpty || (try? fields.validate()) == nil { fields = [:] }
    if let authorization { fields.append("Proxy-Authorization", authorization) }
    var text = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  mutating func received(_ bytes: [UInt8]) -> TunnelStep {
    switch state {
    case .failed(let error): return .failed(error)
    case .done: return keep(bytes[...])
    case .reading: break
    }
    var offset = 0
    do throws(WireError) {
      while let event = try reader.next(bytes.span.bytes, at: &offset) {
        switch event {
        case .informational: continue
        case .head(let head) where head.status < 300:
          // Whatever the head says of a body: there is none (RFC 9110 9.3.6).
          state = .done
          return keep(bytes[offset...])
        case .head(let head): return fail(refusal(head))
        case .body, .trailers, .end: return .needsMore
        }
      }
      return .needsMore
    } catch {
      let code: TunnelError.Code = error.kind == .tooLarge ? .tooLarge : .malformed
      return fail(TunnelError(code, "gave an answer to CONNECT that can't be used: \(error.message)"))
    }
  }

  var closed: TunnelError {
    TunnelError(.closed, "closed the connection \(reader.hasStarted ? "within its answer" : "without an answer") to CONNECT \(authority)")
  }

  private mutating func keep(_ bytes: ArraySlice<UInt8>) -> TunnelStep {
    guard bytes.isEmpty || allowsSurplus else { return fail(TunnelError(.malformed, "sent more than its answer to CONNECT \(authority)")) }
    surplus += bytes
    return .done
  }

  private mutating func fail(_ error: TunnelError) -> TunnelStep {
    state = .failed(error)
    return .failed(error)
  }

  private func refusal(_ head: ResponseHead) -> TunnelError {
    let status = head.reason.isEmpty ? "\(head.status)" : "\(head.status) \(printable(head.reason))"
    switch head.status {
    case 407:
      let schemes = AuthenticationSchemes.names(head.headers.values("Proxy-Authenticate"))
      let offer = schemes.isEmpty ? "" : "; it takes \(schemes.joined(separator: ", "))"
      let what = credentials == nil ? "asks for credentials" : "does not take the credentials it got"
      var error = TunnelError(.credentials, "\(what) (\(status)\(offer))")
      error.challenges = AuthChallenge.all(in: head.headers, proxy: true)
      return error
    case 502, 503, 504:
      return TunnelError(.unreachable, "can't reach \(authority): it answered CONNECT with \(status)")
    default:
      return TunnelError(.denied, "refused the tunnel to \(authority): it answered CONNECT with \(status)")
    }
  }
}
