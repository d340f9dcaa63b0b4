public import EventLoop
import Glibc

/// A name server on a free port of loopback, UDP and TCP, that answers as its test says.
@LoopActor
public final class DnsServer: SocketTarget {
  public struct Question: Sendable {
    /// As it was asked, without a dot at the end.
    public let name: String
    /// 1 is A, 28 is AAAA.
    public let type: UInt16
    public let isOverTcp: Bool
    public var isIPv6: Bool { type == 28 }
  }

  public enum Answer: Sendable {
    /// Addresses as raw bytes: those of 4 for A questions, those of 16 for AAAA; behind `aliases`, each a CNAME with its time to live.
    case addresses([[UInt8]], ttl: UInt32 = 60, aliases: [(name: String, ttl: UInt32)] = [])
    case code(UInt8)
    /// Nothing, until `answerHeld` is called.
    case hold
    /// An empty answer with the bit that says to ask again over TCP.
    case truncated
    /// These bytes, after the id of the question.
    case raw([UInt8])
    /// Addresses under an id that was not asked, and then nothing.
    case wrongID([[UInt8]])
  }

  private struct Held {
    let query: [UInt8]
    let question: Question
    let end: Int
    let send: @LoopActor ([UInt8]) -> Void
  }

  private let descriptor: Int32
  private let listener: Int32
  private var watch = WatchID.none
  private var acceptor: TcpAcceptor?
  private var held: [Held] = []
  public private(set) var questions: [Question] = []
  public var answer: (Question) -> Answer = { _ in .hold }
  public private(set) var port: UInt16 = 0

  public init() throws {
    (descriptor, listener, port) = try DnsServer.open()
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
    acceptor = TcpAcceptor(listener, self)
  }

  /// For ``ResolverSettings/servers``.
  public var servers: String { "127.0.0.1:\(port)" }

  /// How many questions of a type came, for one name or for all.
  public func count(_ type: UInt16, _ name: String? = nil) -> Int {
    questions.count { $0.type == type && (name == nil || $0.name == name) }
  }

  public func close() {
    EventLoop.shared.unwatch(watch)
    acceptor?.close()
    Socket.close(descriptor)
  }

  public func socketReady(_ ready: Interest) {
    var query = [UInt8](repeating: 0, count: 512)
    var from = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &from) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &query, 512, 0, $0, &length) }
    }
    guard count > 12 else { return }
    let peer = from
    received(Array(query[..<count]), isOverTcp: false) { [descriptor] bytes in
      var peer = peer
      withUnsafePointer(to: &peer) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  /// Answers what was held, late; of one type if told so.
  public func answerHeld(_ answer: Answer, type: UInt16? = nil) {
    let told = held.filter { type == nil || $0.question.type == type }
    held.removeAll { type == nil || $0.question.type == type }
    for one in told { reply(to: one, answer) }
  }

  fileprivate func received(_ query: [UInt8], isOverTcp: Bool, _ send: @escaping @LoopActor ([UInt8]) -> Void) {
    guard let (name, type, end) = DnsServer.question(of: query) else { return }
    let question = Question(name: name, type: type, isOverTcp: isOverTcp)
    questions.append(question)
    let one = Held(query: query, question: question, end: end, send: send)
    let answer = self.answer(question)
    if case .hold = answer { held.append(one) } else { reply(to: one, answer) }
  }

  private func reply(to one: Held, _ answer: Answer) {
    let id = Array(one.query[..<2])
    let question = Array(one.query[12..<one.end])
    switch answer {
    case .hold: return
    case .raw(let bytes): return one.send(id + bytes)
    case .code(let code): one.send(id + [0x81, 0x80 | code, 0, 1, 0, 0, 0, 0, 0, 0] + question)
    case .truncated: one.send(id + [0x83, 0x80, 0, 1, 0, 0, 0, 0, 0, 0] + question)
    case .wrongID(let all):
      one.send([id[0] ^ 0x55, id[1]] + DnsServer.message(one.question, question, all, 60, []))
    case .addresses(let all, let ttl, let aliases):
      one.send(id + DnsServer.message(one.question, question, all, ttl, aliases))
    }
  }

  /// An answer without its id.
  private static func message(
    _ question: Question, _ bytes: [UInt8], _ all: [[UInt8]], _ ttl: UInt32, _ aliases: [(name: String, ttl: UInt32)]
  ) -> [UInt8] {
    let records = all.filter { $0.count == (question.isIPv6 ? 16 : 4) }
    var answer: [UInt8] = []
    var owner = encoded(question.name)
    for alias in aliases {
      let target = encoded(alias.name)
      answer += owner + [0, 5, 0, 1] + big(alias.ttl) + [0, UInt8(target.count)] + target
      owner = target
    }
    for record in records { answer += owner + [0, UInt8(question.type), 0, 1] + big(ttl) + [0, UInt8(record.count)] + record }
    let count = records.count + aliases.count
    return [0x81, 0x80, 0, 1, UInt8(count >> 8), UInt8(count & 0xff), 0, 0, 0, 0] + bytes + answer
  }

  private static func encoded(_ name: String) -> [UInt8] {
    name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
  }

  private static func big(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private static func question(of query: [UInt8]) -> (name: String, type: UInt16, end: Int)? {
    var labels: [String] = []
    var index = 12
    while index < query.count, query[index] != 0 {
      let end = index + 1 + Int(query[index])
      guard end < query.count else { return nil }
      labels.append(String(decoding: query[index + 1..<end], as: UTF8.self))
      index = end
    }
    guard index + 4 < query.count else { return nil }
    return (labels.joined(separator: "."), UInt16(query[index + 1]) << 8 | UInt16(query[index + 2]), index + 5)
  }

  /// A UDP and a TCP socket of the same port.
  private static func open() throws -> (udp: Int32, tcp: Int32, port: UInt16) {
    for _ in 0..<20 {
      let tcp = try Socket.listen(on: .loopback(port: 0))
      let port = Socket.localAddress(tcp)?.port ?? 0
      let udp = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      address.sin_port = port.bigEndian
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(udp, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
      }
      if isBound { return (udp, tcp, port) }
      Socket.close(udp)
      Socket.close(tcp)
    }
    throw TestTimeout("no port that is free for UDP and TCP")
  }
}

/// Takes questions over TCP: each with its length before it (RFC 1035 4.2.2).
@LoopActor
private final class TcpAcceptor: SocketTarget {
  private let listener: Int32
  private unowned let server: DnsServer
  private var watch = WatchID.none
  private var connections: [TcpConnection] = []

  init(_ listener: Int32, _ server: DnsServer) {
    self.listener = listener
    self.server = server
    watch = EventLoop.shared.watch(listener, self)
    EventLoop.shared.update(watch, .read)
  }

  func socketReady(_ ready: Interest) {
    while let accepted = try? Socket.accept(listener) { connections.append(TcpConnection(accepted.descriptor, server)) }
  }

  func close() {
    EventLoop.shared.unwatch(watch)
    Socket.close(listener)
    for connection in connections { connection.close() }
    connections = []
  }
}

@LoopActor
private final class TcpConnection: SocketTarget {
  private let descriptor: Int32
  private unowned let server: DnsServer
  private var watch = WatchID.none
  private var bytes: [UInt8] = []
  private var isOpen = true

  init(_ descriptor: Int32, _ server: DnsServer) {
    self.descriptor = descriptor
    self.server = server
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
  }

  func socketReady(_ ready: Interest) {
    guard case .bytes(let count) = Socket.receive(descriptor, into: EventLoop.shared.readBuffer) else { return close() }
    bytes += EventLoop.shared.readBuffer[..<count]
    while bytes.count >= 2, case let length = Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count >= 2 + length {
      let query = Array(bytes[2..<2 + length])
      bytes.removeFirst(2 + length)
      guard query.count > 12 else { continue }
      server.received(query, isOverTcp: true) { [self] reply in
        guard isOpen else { return }
        _ = Socket.send(descriptor, [UInt8(reply.count >> 8), UInt8(reply.count & 0xff)] + reply, from: 0)
      }
    }
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    EventLoop.shared.unwatch(watch)
    Socket.close(descriptor)
  }
}
