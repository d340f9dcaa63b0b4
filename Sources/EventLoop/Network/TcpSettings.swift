internal import CLibevent
import Glibc

/// How a TCP connection notices that its peer is gone without a word: a machine that lost power, a middlebox that forgot the connection.
///
/// With the defaults an idle connection to a dead peer ends after about 60 s, and one with bytes that nobody acknowledges likewise.
public struct TcpSettings: Sendable, Hashable {
  /// How long a connection is silent before the kernel probes whether the peer still answers (`TCP_KEEPIDLE`). Default 30 s, in whole seconds
  /// from 1 s to 32,767 s; nil: it never probes.
  public var keepAliveIdle: Duration? = .seconds(30)
  /// The time between unanswered probes (`TCP_KEEPINTVL`). Default 10 s, in whole seconds from 1 s to 32,767 s.
  public var keepAliveInterval = Duration.seconds(10)
  /// How many unanswered probes end the connection (`TCP_KEEPCNT`). Default 3, from 1 to 127.
  public var keepAliveCount = 3
  /// How long written bytes may stay unacknowledged, or a peer may take no more of them, before the connection ends (`TCP_USER_TIMEOUT`,
  /// RFC 5482). Default 60 s; nil leaves it to the kernel's retransmissions, about 15 minutes.
  public var userTimeout: Duration? = .seconds(60)

  public init() {}
}

extension Socket {
  /// Sets what `settings` say on a TCP socket, connected or not. Values outside their ranges are taken to the nearest within; on a socket that is
  /// not TCP nothing happens.
  public static func apply(_ settings: TcpSettings, to descriptor: Int32) {
    set(descriptor, SOL_SOCKET, SO_KEEPALIVE, settings.keepAliveIdle == nil ? 0 : 1)
    if let idle = settings.keepAliveIdle {
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, seconds(idle))
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, seconds(settings.keepAliveInterval))
      set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, Int32(min(max(settings.keepAliveCount, 1), 127)))
    }
    let milliseconds = settings.userTimeout.map { max(Int32(clamping: $0.wholeNanoseconds / 1_000_000), 1) }
    set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds ?? 0)
  }

  private static func seconds(_ duration: Duration) -> Int32 {
    Int32(min(max(duration.wholeNanoseconds / 1_000_000_000, 1), 32_767))
  }

  private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
