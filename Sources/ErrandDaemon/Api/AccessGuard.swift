internal import EventLoop
internal import HttpServer
internal import HttpWire

/// Decides whose a call is. On a Unix socket the kernel says so; on TCP, which web pages can reach too, a token is needed, and the
/// fields by which a browser gives itself away are looked at.
@LoopActor
struct AccessGuard {
  /// Whom calls with the token are made for.
  let ownOwner: Owner
  let token: [UInt8]?
  /// The TCP listener.
  var address: SocketAddress?

  func owner(of request: ServerRequest) throws(Problem) -> Owner {
    if let credentials = request.credentials { return Owner(uid: credentials.uid) }
    guard !request.isUnix else { throw .forbidden("the system does not say who is at the other end of the socket") }
    let headers = request.head.headers
    if headers.contains("Origin") {
      throw .forbidden("calls from web pages are refused", field: "Origin", place: "header")
    }
    guard let host = headers["Host"], isOwn(host) else {
      throw .forbidden("Host must be this daemon's loopback address and port", field: "Host", place: "header")
    }
    guard let token, let given = headers["Authorization"], AccessGuard.bearer(given).map({ AccessGuard.equal($0, token) }) == true else {
      throw Problem(
        kind: "unauthorized", status: 401, title: "Unauthorized",
        detail: "calls over TCP need Authorization: Bearer with the daemon's token",
        field: "Authorization", place: "header", headers: ["WWW-Authenticate": "Bearer realm=\"errandd\""])
    }
    return ownOwner
  }

  private func isOwn(_ host: String) -> Bool {
    guard let address, let port = address.port else { return false }
    return ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", address.description].contains(host.lowercased())
  }

  private static func bearer(_ value: String) -> [UInt8]? {
    let bytes = Array(value.utf8)
    guard bytes.count > 7, String(decoding: bytes[..<7], as: UTF8.self).lowercased() == "bearer " else { return nil }
    return Array(bytes[7...])
  }

  /// Takes as long for a wrong first byte as for a wrong last one.
  static func equal(_ given: [UInt8], _ token: [UInt8]) -> Bool {
    var difference: UInt8 = given.count == token.count ? 0 : 1
    for (index, byte) in given.enumerated() { difference |= byte ^ token[index % max(token.count, 1)] }
    return difference == 0 && !token.isEmpty
  }
}
