import TestSupport
import Testing

@testable import EventLoop

@Suite struct HostsFileTests {
  private func texts(_ file: HostsFile, _ name: String) -> [String]? { file.addresses(of: name)?.map(\.description) }

  @Test func linesGiveAddressesToNames() {
    let file = HostsFile(
      Array(
        """
        # comment
        127.0.0.1\tlocalhost  here # there
        192.0.2.1 A.Example a
        2001:db8::1   a.example

        192.0.2.2 a.example\r
        192.0.2.1 a.example
        fe80::1%lo0 scoped
        nonsense b
        192.0.2.9
        #192.0.2.3 c
        192.0.2.4#d
        192.0.2.5 e..f bücher ok
        """.utf8))
    #expect(texts(file, "a.example") == ["192.0.2.1:0", "[2001:db8::1]:0", "192.0.2.2:0"])
    #expect(texts(file, "a") == ["192.0.2.1:0"])
    #expect(texts(file, "here") == ["127.0.0.1:0"])
    #expect(texts(file, "ok") == ["192.0.2.5:0"])
    for name in ["there", "b", "c", "d", "scoped", "", "nonsense", "#"] { #expect(file.addresses(of: name) == nil) }
  }

  @Test func anyBytesCanBeRead() {
    var generator = SeededGenerator(seed: 5)
    let alphabet = Array("127.0.0.1 :ab#\n\t\r\0é".utf8)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0..<200, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      _ = HostsFile(bytes)
    }
    #expect(HostsFile([]).addresses(of: "a") == nil)
  }
}
