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
    (["get", "x", "-q", "nonsense"], "--param: \"nonsense\" is not of the form NAME=VALUE"),
    (["post", "x", "--json", "{}", "--form", "a=b"], "--json and --form: a request has one body"),
    (["post", "x", "-d", "@/nonexistent"], "--data: /nonexistent: No such file or directory"),
    (["get", "--direct", "x", "--envelope", "status-inof"], "did you mean status-info?"),
    (["get", "ftp://x/"], "scheme"),
    (["get", "http://a b/"], "URL: "),
    (["submit", "x", "--tag", "seven"], "--tag: \"seven\" is not a whole number"),
    (["submit", "x", "--meta", "{"], "--meta: not JSON"),
    (["submit", "x", "--method", "GE T"], "--method: "),
    (["cancel"], "HANDLE is missing, or a scope such as --tag or --all"),
    (["cancel", "--all", "--tag", "1"], "--all and --tag contradict each other"),
    (["list", "extra"], "\"extra\" is one argument too many"),
    (["watch"], "DELEGATE is missing"),
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
}
