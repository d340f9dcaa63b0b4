import Testing

@Suite(.timeLimit(.minutes(2))) struct CommandHelpTests {
  static let commands = [
    "get", "post", "put", "patch", "delete", "head", "submit", "list", "show", "explain", "cancel", "watch", "delegates", "ack", "top",
    "stats",
    "version", "help",
  ]

  @Test func theOverviewListsEveryCommandAndExitCode() async throws {
    let help = try await errand("--help")
    #expect(help.status == 0)
    for command in Self.commands { #expect(help.lines.contains { $0.hasPrefix("  \(command) ") }, "\(command)") }
    for code in [0, 1, 2, 3, 4, 5, 6, 7, 22, 28, 35, 52, 65, 129, 130, 143] {
      #expect(help.lines.contains { $0.hasPrefix("  \(code) ") }, "\(code)")
    }
  }

  @Test(arguments: commands) func aCommandsHelpTeaches(_ command: String) async throws {
    let help = try await errand(command, "--help")
    #expect(help.status == 0)
    #expect(help.errors.isEmpty)
    for part in ["Usage:", "Options:", "Examples:", "Exit codes:", "  -h, --help"] { #expect(help.text.contains(part), "\(part)") }
    #expect(help.text.contains("  errand \(command)"))
    let short = try await errand(command, "-h")
    #expect(short.text == help.text)
    let byName = try await errand("help", command)
    #expect(byName.text == help.text)
    #expect(help.lines.allSatisfy { $0.hasPrefix("  ") && $0.contains("errand") || $0.count <= 100 })
  }

  @Test(arguments: commands) func everyOptionOfTheHelpIsAccepted(_ command: String) async throws {
    for option in try await Self.options(command) {
      let words = [command, "--" + option.long] + (option.takesValue ? ["1"] : []) + ["--help"]
      let long = try await errand(words)
      #expect(long.status == 0, "\(words)")
      if let letter = option.short {
        let short = try await errand([command, "-\(letter)"] + (option.takesValue ? ["1"] : []) + ["--help"])
        #expect(short.status == 0, "-\(letter)")
      }
    }
  }

  @Test func theHelpOfGetHasCurlsOptions() async throws {
    let options = try await Self.options("get")
    let expected: [(String, Character?)] = [
      ("header", "H"), ("data", "d"), ("json", nil), ("form", "F"), ("data-binary", nil), ("param", "q"), ("output", "o"),
      ("include", "i"), ("silent", "s"), ("fail", "f"), ("max-time", "m"), ("connect-timeout", nil), ("user-agent", "A"),
      ("unix-socket", nil), ("expect-json", nil), ("envelope", nil), ("retry", nil), ("direct", nil), ("socket", nil), ("verbose", "v"),
      ("cacert", nil), ("capath", nil), ("cert", "E"), ("key", nil), ("pass", nil), ("pin", nil), ("pinnedpubkey", nil), ("insecure", "k"),
      ("tlsv1.3", nil), ("proxy", "x"), ("noproxy", nil), ("http1.1", nil), ("http2", nil), ("http2-prior-knowledge", nil),
      ("resolve", nil), ("priority", nil), ("service", nil), ("location", "L"), ("max-redirs", nil),
      ("data-raw", nil), ("data-urlencode", nil), ("form-string", nil), ("user", "u"), ("digest", nil), ("anyauth", nil), ("bearer", nil),
      ("oauth2-bearer", nil), ("netrc", "n"), ("netrc-file", nil), ("cookie", "b"), ("cookie-jar", "c"), ("compressed", nil),
      ("range", "r"),
      ("referer", "e"), ("remote-name", "O"), ("remote-header-name", "J"), ("continue", nil), ("continue-at", "C"), ("head", "I"),
      ("help", "h"),
    ]
    for (long, short) in expected { #expect(options.contains { $0.long == long && $0.short == short }, "\(long)") }
    #expect(options.count == expected.count)
  }

  private struct ListedOption {
    let long: String
    let short: Character?
    let takesValue: Bool
  }

  /// The options as the help lists them.
  private static func options(_ command: String) async throws -> [ListedOption] {
    let lines = try await errand(command, "--help").text.split(separator: "\n", omittingEmptySubsequences: false)
    guard let start = lines.firstIndex(of: "Options:") else { return [] }
    return lines[(start + 1)...].prefix { !$0.isEmpty }.compactMap { line in
      let words = line.split(separator: " ")
      guard line.hasPrefix("  -") || line.hasPrefix("      --"), let name = words.first(where: { $0.hasPrefix("--") }) else { return nil }
      let next = words.firstIndex(of: name).map { words[($0 + 1)...].first ?? "" } ?? ""
      let isValue = !next.isEmpty && next.allSatisfy { $0.isUppercase || "=-:".contains($0) } && next.count > 1 || next == "N"
      let letter = words[0].hasPrefix("--") ? nil : words[0].dropFirst().first
      return ListedOption(long: String(name.dropFirst(2).prefix { $0 != "[" }), short: letter, takesValue: isValue)
    }
  }
}
