import EventLoop
import Glibc
import TestSupport

/// A name server on a free UDP port of loopback that answers as its test says.
@LoopActor
final class DnsServer: SocketTarget {
  enum Answer {
    /// Addresses as raw bytes: those of 4 for A questions, those of 16 for AAAA.
    case addresses([[UInt8]])
    case code(UInt8)
    /// Nothing, until `answerHeld` is called.
    case hold
  }

  private let descriptor: Int32
  private var watch = WatchID.none
  private var held: [(query: [UInt8], from: sockaddr_in)] = []
  private(set) var questions: [(name: String, type: UInt16)] = []
  var answer: (String) -> Answer = { _ in .hold }
  private(set) var port: UInt16 = 0

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) != 0 || getsockname(descriptor, $0, &length) != 0
      }
    }
    guard !failed else { throw TestTimeout("no UDP socket: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
    watch = EventLoop.shared.watch(descriptor, self)
    EventLoop.shared.update(watch, .read)
  }

  var servers: String { "127.0.0.1:\(port)" }

  func close() {
    EventLoop.shared.unwatch(watch)
    Socket.close(descriptor)
  }

  func socketReady(_ ready: Interest) {
    var query = [UInt8](repeating: 0, count: 512)
    var from = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let count = withUnsafeMutablePointer(to: &from) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &query, 512, 0, $0, &length) }
    }
    guard count > 12 else { return }
    query = Array(query[..<count])
    guard let question = DnsServer.question(of: query) else { return }
    questions.append((question.name, question.type))
    let answer = self.answer(question.name)
    if case .hold = answer { held.append((query, from)) } else { reply(to: query, from, answer) }
  }

  /// Answers what was held, late.
  func answerHeld(_ answer: Answer) {
    for (query, from) in held { reply(to: query, from, answer) }
    held = []
  }

  private func reply(to query: [UInt8], _ to: sockaddr_in, _ answer: Answer) {
    guard let question = DnsServer.question(of: query) else { return }
    var records: [[UInt8]] = []
    var code: UInt8 = 0
    switch answer {
    case .addresses(let all): records = all.filter { $0.count == (question.type == 1 ? 4 : 16) }
    case .code(let given): code = given
    case .hold: return
    }
    var bytes: [UInt8] = [query[0], query[1], 0x81, 0x80 | code, 0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
    bytes += query[12..<question.end]
    for record in records { bytes += [0xc0, 12, 0, UInt8(question.type), 0, 1, 0, 0, 0, 60, 0, UInt8(record.count)] + record }
    var to = to
    withUnsafePointer(to: &to) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
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
}
