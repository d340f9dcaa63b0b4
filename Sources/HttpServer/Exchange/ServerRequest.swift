public import EventLoop
public import HttpWire

/// A request as its handler sees it.
@LoopActor
public final class ServerRequest {
  public let head: RequestHead
  /// The target up to `?`, byte for byte; `*` for `OPTIONS *`.
  public let path: String
  /// The whole body; empty if the handler wants it streamed.
  public internal(set) var body: [UInt8] = []
  /// Where the connection comes from.
  public let peer: SocketAddress
  /// Who is at the other end of a Unix socket; nil on TCP.
  public let credentials: (pid: Int32, uid: UInt32, gid: UInt32)?
  /// Told each piece of a streamed body.
  public var onBody: (([UInt8]) -> Void)?
  /// Told once, when a streamed body is complete. If it never will be, ``Responder/onClose`` is told instead.
  public var onEnd: (() -> Void)?
  /// Whether the body has come completely.
  public internal(set) var isComplete = false

  init(head: RequestHead, path: String, connection: ServerConnection) {
    self.head = head
    self.path = path
    peer = connection.peer
    credentials = connection.credentials
  }

  /// Whether it came over a Unix socket.
  public var isUnix: Bool { peer.path != nil }

  /// What follows the first `?` of the target, as it came; nil if there is none.
  public var queryText: Substring? {
    head.target.utf8.firstIndex(of: UInt8(ascii: "?")).map { head.target[head.target.utf8.index(after: $0)...] }
  }

  /// The pairs of the query, decoded as a form. Throws for a broken percent-encoding.
  public func query() throws(WireError) -> [(String, String)] {
    guard let queryText, !queryText.isEmpty else { return [] }
    return try FormEncoding.decode(String(queryText))
  }

  /// The path's segments, each percent-decoded: `/a%2Fb/c` gives `a/b` and `c`. Throws for a broken percent-encoding.
  public func pathSegments() throws(WireError) -> [String] {
    var segments: [String] = []
    for piece in path.utf8.split(separator: UInt8(ascii: "/")) {
      segments.append(try FormEncoding.percentDecode(String(Substring(piece))))
    }
    return segments
  }

  func drop() {
    onBody = nil
    onEnd = nil
  }

  /// The target's path: what precedes `?`, without the scheme and authority of an absolute target (RFC 9112 section 3.2.2).
  static func path(of target: String) -> String {
    let bytes = target.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
    if bytes.first == UInt8(ascii: "/") || target == "*" { return end == bytes.endIndex ? target : String(target[..<end]) }
    let beforeQuery = target[..<end]
    guard let scheme = beforeQuery.firstRange(of: "://") else { return String(beforeQuery) }
    let authority = beforeQuery[scheme.upperBound...]
    return authority.utf8.firstIndex(of: UInt8(ascii: "/")).map { String(authority[$0...]) } ?? "/"
  }
}
