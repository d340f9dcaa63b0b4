import EventLoop
import Glibc
import Testing

@Suite struct TcpSettingsTests {
  private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : -1
  }

  private func applied(_ settings: TcpSettings) throws -> [Int32] {
    let descriptor = try Socket.open(for: .loopback(port: 1))
    defer { Socket.close(descriptor) }
    Socket.apply(settings, to: descriptor)
    return [option(descriptor, SOL_SOCKET, SO_KEEPALIVE)]
      + [TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT].map { option(descriptor, Int32(IPPROTO_TCP), $0) }
  }

  @Test func theKernelHasWhatWasSet() throws {
    #expect(try applied(TcpSettings()) == [1, 30, 10, 3, 60_000])
    var settings = TcpSettings()
    settings.keepAliveIdle = .milliseconds(2_900)
    settings.keepAliveInterval = .seconds(3)
    settings.keepAliveCount = 4
    settings.userTimeout = .milliseconds(1_500)
    #expect(try applied(settings) == [1, 2, 3, 4, 1_500])
  }

  @Test func nilTurnsAnOptionOff() throws {
    var settings = TcpSettings()
    settings.keepAliveIdle = nil
    settings.userTimeout = nil
    let values = try applied(settings)
    #expect(values.first == 0 && values.last == 0)
  }

  @Test func valuesOutOfRangeAreTakenToTheNearestWithin() throws {
    var settings = TcpSettings()
    settings.keepAliveIdle = .zero
    settings.keepAliveInterval = .seconds(1_000_000)
    settings.keepAliveCount = 1_000
    settings.userTimeout = .seconds(-1)
    #expect(try applied(settings) == [1, 1, 32_767, 127, 1])
  }

  @Test func aUnixSocketIsLeftAlone() throws {
    let descriptor = try Socket.open(for: .unix("/nowhere"))
    defer { Socket.close(descriptor) }
    Socket.apply(TcpSettings(), to: descriptor)
    #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == -1)
  }
}
