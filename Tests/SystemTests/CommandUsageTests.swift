import EventLoop
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct CommandUsageTests {
  @Test(arguments: [
    (["gett"], "unknown command \"gett\" (did you mean get?)"),
    (["get"], "URL is missing"),
    (["get", "a", "b"], "only one URL is allowed, and \"b\" is a second one"),
    (["get", "--haeder", "A: b", "x"], "unknown option --haeder (did you mean --header?)"),
    (["get", "-Z", "x"], "unknown option -Z"),
    (["get", "-sZ", "x"], "unknown option -Z in -sZ"),
    (["get", "x", "--max-time"], "--max-time needs a value: SECONDS"),
    (["get", "x", "-m"], "-m (--max-time) needs a value: SECONDS"),
    (["get", "x", "-m", "soon"], "--max-time: \"soon\" is not a number of seconds"),
    (["get", "x", "-m", "-1"], "--max-time: \"-1\" is not a number of seconds"),
    (["get", "x", "--retry=many"], "--retry: \"many\" is not a whole number"),
    (["get", "x", "--retry=-1"], "--retry: must be at least 0"),
    (["get", "x", "--include=yes"], "--include takes no value"),
    (["get", "x", "-H", "nonsense"], "--header: \"nonsense\" is not of the form \"Name: value\""),
    (["get", "x", "-q", "=b"], "--param: \"=b\" is not of the form NAME=VALUE, or NAME alone"),
    (["post", "x", "--json", "{}", "--form", "a=b"], "--json and --form: a request has one body"),
    (["post", "x", "-F", "a=b;c"], "a value with a ; in it stands in double quotes"),
    (["submit", "x", "-F", "a=@/nonexistent"], "--form: /nonexistent: No such file or directory"),
    (["submit", "x", "-b", "cookies.txt"], "--cookie FILE and --cookie-jar: a request of the daemon's has no files of cookies"),
    (["submit", "x", "-c", "cookies.txt"], "--cookie FILE and --cookie-jar: a request of the daemon's has no files of cookies"),
    (["get", "x", "-o", "a", "-J"], "--output and --remote-header-name contradict each other"),
    (["get", "x", "--digest"], "--digest: needs --user or --netrc beside it"),
    (["post", "x", "-d", "@/nonexistent"], "--data: /nonexistent: No such file or directory"),
    (["get", "--direct", "x", "--envelope", "status-inof"], "did you mean status-info?"),
    (["get", "ftp://x/"], "the scheme ftp is not supported by this version"),
    (["submit", "ws://x/"], "the scheme ws is not supported by this version"),
    (["get", "x", "--cacert", "/nonexistent"], "--cacert: the CA file /nonexistent can't be read: No such file or directory"),
    (["get", "x", "--cacert", "/dev/null"], "--cacert: the CA file /dev/null has no certificate"),
    (["get", "x", "--capath", "/nonexistent"], "--capath: the CA directory /nonexistent can't be read"),
    (["get", "x", "--cert", "/nonexistent"], "--cert: the client certificate /nonexistent can't be read"),
    (["get", "x", "--cert", "/dev/null:secret"], "--cert: the client certificate /dev/null has no certificate"),
    (["get", "x", "--key", "k"], "--key: needs --cert beside it"),
    (["submit", "x", "--cert-key", "k"], "--cert-key: needs --cert beside it"),
    (["get", "x", "--pass", "p"], "--pass: needs --cert beside it"),
    (["get", "x", "--pin", "sha1//AAAA"], "--pin: the pin sha1//AAAA does not begin with sha256//"),
    (["get", "x", "--pin", "sha256//AAAA"], "--pin: the pin sha256//AAAA is not the base64 of a SHA-256"),
    (["get", "x", "--pinnedpubkey", "key.pem"], "--pinnedpubkey: the pin key.pem does not begin with sha256//"),
    (["get", "x", "--pinnedpubkey", ""], "--pinnedpubkey: there is no pin"),
    (["get", "x", "--insecure=yes"], "--insecure takes no value"),
    (["get", "x", "--tlsv1.3=yes"], "--tlsv1.3 takes no value"),
    (["get", "x", "--proxy", "ftp://user:secret@p"], "--proxy: the proxy's scheme is none of http, https, socks5 and socks5h"),
    (["get", "x", "--proxy", "socks4://p"], "--proxy: SOCKS 4 is not supported"),
    (["get", "x", "--noproxy"], "--noproxy needs a value: LIST"),
    (["get", "x", "--http1.1", "--http2"], "--http1.1 and --http2 contradict each other"),
    (["get", "x", "--resolve", "x:80"], "--resolve: \"x:80\": the port is not followed by an address"),
    (["get", "x", "--resolve", "x:0:127.0.0.1"], "--resolve: \"x:0:127.0.0.1\": the port \"0\" is not in 1...65535"),
    (["get", "x", "--resolve", "x:80:here"], "--resolve: \"x:80:here\": \"here\" is neither an IPv4 nor an IPv6 address"),
    (["get", "x", "--priority", "urgent"], "--priority: \"urgent\" is not a whole number"),
    (["get", "x", "--priority", "128"], "--priority: 128 is not in -128 to 127"),
    (["get", "--direct", "x", "--service", "s"], "--service: services are settings of a daemon"),
    (["get", "--direct", "x", "--unix-socket", String(repeating: "x", count: 200)], "--unix-socket: File name too long"),
    (["get", "http://a b/"], "URL: "),
    (["submit", "x", "--tag", "seven"], "--tag: \"seven\" is not a whole number"),
    (["submit", "x", "--meta", "{"], "--meta: not JSON"),
    (["submit", "x", "--method", "GE T"], "--method: "),
    (["cancel"], "HANDLE is missing, or a scope such as --tag or --all"),
    (["cancel", "--all", "--tag", "1"], "--all and --tag contradict each other"),
    (["list", "extra"], "\"extra\" is one argument too many"),
    (["watch"], "DELEGATE is missing"),
    (["ack"], "DELEGATE is missing"),
    (["ack", "a"], "SEQ is missing"),
    (["ack", "a", "-1"], "unknown option -1"),
    (["ack", "a", "most"], "SEQ: \"most\" is neither the number of an event nor all"),
    (["ack", "a", "1", "2"], "\"2\" is one argument too many"),
    (["watch", "a", "--count", "0"], "--count: must be at least 1"),
    (["help", "gett"], "did you mean get?"),
  ]) func aWrongCommandLineIsToldAndExitsWith2(_ words: [String], _ message: String) async throws {
    let ended = try await errand(words)
    #expect(ended.status == 2)
    #expect(ended.errors.contains(message), "\(ended.errors)")
    #expect(ended.errors.contains("--help"))
    #expect(ended.output.isEmpty)
  }

  @Test func withoutACommandTheHelpGoesToStandardError() async throws {
    let ended = try await errand()
    #expect(ended.status == 2)
    #expect(ended.errors.contains("Usage: errand COMMAND"))
  }

  @Test func theVersionIsToldForPeopleAndPrograms() async throws {
    #expect(try await errand("version").text.hasPrefix("errand "))
    #expect(try await errand("--version").text.hasPrefix("errand "))
    #expect(try await errand("version", "--json").text.hasPrefix("{\"name\":\"errand\",\"version\":\""))
  }

  @Test(arguments: [
    ["list"], ["show", "1"], ["explain", "1"], ["cancel", "1"], ["cancel", "--all"], ["watch", "a"], ["top", "--once"], ["stats"],
    ["delegates"], ["ack", "a", "all"],
    ["submit", "http://127.0.0.1/"],
  ]) func withoutADaemonTheExitCodeIs3AndTheSocketIsNamed(_ words: [String]) async throws {
    let directory = try TemporaryDirectory()
    let socket = directory.file("none.sock")
    let ended = try await errand(words + ["--socket", socket])
    #expect(ended.status == 3)
    #expect(ended.errors.contains("no daemon answers on \(socket)"))
    #expect(ended.errors.contains("start errandd"))
    let byVariable = try await errand(words, environment: ["ERRAND_SOCKET": socket])
    #expect(byVariable.errors.contains(socket))
    let byDirectory = try await errand(words, environment: ["ERRAND_SOCKET": "", "XDG_RUNTIME_DIR": directory.path])
    #expect(byDirectory.errors.contains(directory.file("errand.sock")))
  }

  @Test func aSocketThatIsForbiddenIsToldAndAVerbGoesOnWithoutIt() async throws {
    let directory = try TemporaryDirectory()
    let socket = directory.file("s")
    let descriptor = try Socket.listen(on: .unix(socket))
    defer { Socket.close(descriptor) }
    #expect(chmod(directory.path, 0o755) == 0)
    // Root may do everything, and is another user for these lines; anyone else can be denied by the mode.
    let asAnother = getuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--clear-groups"] : []
    #expect(chmod(socket, getuid() == 0 ? 0o600 : 0) == 0)
    let whose = getuid() == 0 ? "it belongs to another user, root" : "its mode forbids it"
    func run(_ words: String...) async throws -> Ended {
      try await RunningProgram(asAnother + [Programs.path("errand")] + words, environment: ["ERRAND_SOCKET": socket]).wait()
    }
    let list = try await run("list")
    #expect(list.status == 3)
    #expect(list.errors.contains("permission denied, \(whose)"), "\(list.errors)")
    #expect(!list.errors.contains("no daemon answers"))
    // Names under onion are never asked for (RFC 7686).
    let get = try await run("get", "http://nowhere.onion/")
    #expect(get.status == 6)
    #expect(get.errors.contains("\(whose): the request is made in this process"))
    let silent = try await run("get", "-s", "http://nowhere.onion/")
    #expect(silent.errors.isEmpty)
  }
}
