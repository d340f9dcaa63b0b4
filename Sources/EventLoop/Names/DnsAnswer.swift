internal import CCares
import Glibc

/// One question for name servers.
struct DnsQuestion: Hashable, Sendable {
  let name: String
  let isIPv6: Bool
}

/// What came of a question.
enum DnsAnswer: Sendable, Equatable {
  enum Absence: Sendable, Equatable {
    /// NXDOMAIN.
    case noSuchName
    /// The name is there, without an address of this family.
    case noAddress
  }

  /// In the order of the answer. The time to live is the least of the records, aliases among them.
  case addresses([SocketAddress], timeToLive: Int32)
  case none(Absence)
  case failed(String, isTemporary: Bool)

  /// How many addresses of one answer are taken.
  static let maximumAddresses = 64

  /// Reads what c-ares gave: its status, and the answer's bytes if there are any.
  init(status: Int32, _ bytes: [UInt8], isIPv6: Bool) {
    guard status == ARES_SUCCESS else {
      self = DnsAnswer(status)
      return
    }
    var count = Int32(DnsAnswer.maximumAddresses)
    let size = Int32(clamping: bytes.count)
    var addresses: [SocketAddress] = []
    var timeToLive = Int32.max
    let parsed: Int32
    if isIPv6 {
      var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: Int(count))
      parsed = ares_parse_aaaa_reply(bytes, size, nil, &records, &count)
      for record in records.prefix(Int(max(count, 0))) {
        let raw = withUnsafeBytes(of: record.ip6addr) { $0.loadUnaligned(as: in6_addr.self) }
        addresses.append(SocketAddress(raw, port: 0, scope: 0))
        timeToLive = min(timeToLive, max(record.ttl, 0))
      }
    } else {
      var records = [ares_addrttl](repeating: ares_addrttl(), count: Int(count))
      parsed = ares_parse_a_reply(bytes, size, nil, &records, &count)
      for record in records.prefix(Int(max(count, 0))) {
        addresses.append(SocketAddress(kind: .v4(address: record.ipaddr.s_addr, port: 0)))
        timeToLive = min(timeToLive, max(record.ttl, 0))
      }
    }
    if parsed == ARES_SUCCESS {
      self = addresses.isEmpty ? .none(.noAddress) : .addresses(addresses, timeToLive: timeToLive)
    } else {
      self = DnsAnswer(parsed)
    }
  }

  private init(_ status: Int32) {
    switch status {
    case ARES_ENOTFOUND: self = .none(.noSuchName)
    case ARES_ENODATA: self = .none(.noAddress)
    case ARES_ETIMEOUT: self = .failed("no name server answered in time", isTemporary: true)
    // c-ares says this also when it tried the next server after a SERVFAIL or REFUSED, and there was none.
    case ARES_ECONNREFUSED: self = .failed("no name server could answer: each failed, refused, or can't be reached", isTemporary: true)
    case ARES_ESERVFAIL: self = .failed("the name server failed (SERVFAIL)", isTemporary: true)
    case ARES_EREFUSED: self = .failed("the name server refused to answer (REFUSED)", isTemporary: true)
    case ARES_ENOTIMP, ARES_EFORMERR: self = .failed("the name server did not understand the question", isTemporary: true)
    case ARES_EBADRESP, ARES_EBADSTR: self = .failed("the name server's answer is malformed", isTemporary: true)
    case ARES_EBADNAME, ARES_EBADQUERY: self = .failed("it is no name that can be asked for", isTemporary: false)
    default: self = .failed(String(cString: ares_strerror(status)), isTemporary: true)
    }
  }
}
