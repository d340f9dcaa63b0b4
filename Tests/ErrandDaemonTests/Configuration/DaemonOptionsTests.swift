import EventLoop
import TestSupport
import Testing

@testable import ErrandDaemon

struct DaemonOptionsTests {
  @Test func `options are read with a space or an equals sign`() throws {
    let options = try DaemonOptions([
      "--socket", "/a", "--state-dir=/b", "--listen", "127.0.0.1:1", "--log-format=json", "--log-level", "debug",
    ])
    let configuration = try options.configuration()
    #expect(configuration.socket == "/a")
    #expect(configuration.stateDir == "/b")
    #expect(configuration.listen == "127.0.0.1:1")
    #expect(configuration.log.format == "json")
    #expect(configuration.log.level == "debug")
  }

  @Test func `options stand above the file`() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("c.json5", Array("{socket: '/file', state_dir: '/file'}".utf8))
    let configuration = try DaemonOptions(["--config", file, "--socket", "/option"]).configuration()
    #expect(configuration.socket == "/option")
    #expect(configuration.stateDir == "/file")
  }

  @Test(arguments: [["--socket"], ["--colour"], ["file"], ["--help=yes"], ["--log-level", "loud"], ["--log-format=xml"]])
  func `what is no option is refused`(arguments: [String]) {
    #expect(throws: DaemonError.self) { _ = try DaemonOptions(arguments).configuration() }
  }

  @Test func `the help names every option`() throws {
    for option in ["--config", "--state-dir", "--socket", "--listen", "--log-format", "--log-level", "--check-config", "--version"] {
      #expect(DaemonOptions.help.contains(option))
    }
    #expect(try DaemonOptions(["-h"]).showsHelp)
  }

  @Test(arguments: [
    ("127.0.0.1:80", "127.0.0.1:80"), ("localhost:0", "127.0.0.1:0"), ("[::1]:8080", "[::1]:8080"), ("127.8.8.8:1", "127.8.8.8:1"),
  ]) func `a loopback address may be listened on`(text: String, address: String) throws {
    #expect(try ListenAddress.parse(text).description == address)
  }

  @Test(arguments: ["0.0.0.0:80", "[::]:80", "192.168.1.1:80", "example.com:80", "127.0.0.1", ":80", "127.0.0.1:99999", "127.0.0.1:x", ""])
  func `any other address is refused`(text: String) {
    #expect(throws: DaemonError.self) { try ListenAddress.parse(text) }
  }
}
