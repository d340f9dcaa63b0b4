import HttpWire
import TestSupport
import Testing

@Suite("netrc files")
struct NetrcTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var text: String
    /// `host/login/password` for each entry, with `*` for default and `-` for what is missing.
    var entries: [String]
    var testDescription: String { text }

    init(_ text: String, _ entries: String...) {
      self.text = text
      self.entries = entries
    }
  }

  static let cases: [Case] = [
    Case(""), Case("\n \t\n# only a comment"), Case("machine a login b password c", "a/b/c"),
    Case("machine a\n\tlogin b\r\n\tpassword c\r\n", "a/b/c"),
    Case("MACHINE A Login B PASSWORD C", "a/B/C"), Case("machine a password c login b", "a/b/c"), Case("machine a", "a/-/-"),
    Case("machine a login b", "a/b/-"), Case("machine a password c", "a/-/c"), Case("default login b password c", "*/b/c"),
    Case("machine a login b password c machine d login e password f default login g", "a/b/c", "d/e/f", "*/g/-"),
    Case("machine a login b account x password c", "a/b/c"), Case("machine a login \"b c\" password \"d\\\"e\\\\f\"", "a/b c/d\"e\\f"),
    Case("machine a login b password \"x\\ny\\rz\\tw\\q\"", "a/b/x\ny\rz\twq"), Case("machine a login \"\" password \"\"", "a//"),
    Case("machine a login b password c#d", "a/b/c#d"), Case("machine a login b password #c", "a/b/#c"),
    Case("machine a # machine x\nlogin b # login y\npassword c", "a/b/c"), Case("machine a login b password c\"d", "a/b/c\"d"),
    Case("macdef init\ncd /pub\nmachine x login y\n\nmachine a login b password c", "a/b/c"),
    Case("machine a login b password c\nmacdef m\n  bin\n\nmachine d login e", "a/b/c", "d/e/-"), Case("macdef m\nnever ends"),
    Case("machine a login machine password login", "a/machine/login"), Case("machine a login ü password ß", "a/ü/ß"),
    Case("machine a login b login c", "a/c/-"), Case("machine ::1 login b", "::1/b/-"), Case("\"machine\" a \"login\" b", "a/b/-"),
  ]

  @Test("a file is read as curl reads it", arguments: cases)
  func reads(given: Case) throws {
    let entries = try Netrc(given.text).entries
    #expect(entries.map { "\($0.host ?? "*")/\($0.login ?? "-")/\($0.password ?? "-")" } == given.entries)
  }

  @Test(
    "an error names the line and repeats nothing",
    arguments: [
      ("machine a\nlogin b\npassword my secret", 3), ("secret", 1), ("machine", 1), ("machine a login", 1),
      ("machine a\n\nlogin b password", 3),
      ("login secret", 1), ("\npassword secret", 2), ("machine a password \"secret", 1), ("machine a\npassword \"secret\nmachine b", 2),
      ("machine a password \"secret\\", 1), ("macdef", 1), ("machine a\nmacdef\n", 2), ("machine a\nprotocol https", 2),
      ("macdef m\nx\n\n\nsecret", 5),
    ])
  func fails(text: String, line: Int) {
    let error = #expect(throws: WireError.self) { try Netrc(text) }
    #expect(error?.kind == .invalid && error?.message.hasPrefix("line \(line): ") == true && error?.message.contains("secret") == false)
  }

  @Test("files over 1 MiB, and values that are not UTF-8, are refused")
  func limits() {
    let error = #expect(throws: WireError.self) { try Netrc([UInt8](repeating: 0x20, count: Netrc.maximumBytes + 1)) }
    #expect(error?.limit == "netrcBytes")
    #expect(throws: WireError.self) { try Netrc(Array("machine a password ".utf8) + [0xE9]) }
  }

  static let file = """
    machine a login one password 1
    machine a login two password 2
    machine b password 3
    machine A login four password 4
    default login five password 5
    machine c login six password 6
    """

  @Test(
    "an entry is found by host, and by login where one is given",
    arguments: [
      ("a", nil, "one", "1"), ("A", nil, "one", "1"), ("a", "two", "two", "2"), ("a", "four", "four", "4"), ("b", nil, nil, "3"),
      ("b", "me", "me", "3"), ("c", nil, "six", "6"), ("d", nil, "five", "5"), ("d", "five", "five", "5"), ("a", "five", "five", "5"),
    ] as [(String, String?, String?, String?)])
  func finds(host: String, login: String?, foundLogin: String?, password: String?) throws {
    let entry = try #require(try Netrc(Self.file).entry(for: host, login: login))
    #expect(entry.login == foundLogin && entry.password == password)
  }

  @Test("nothing is found where nothing fits")
  func findsNothing() throws {
    #expect(try Netrc(Self.file).entry(for: "d", login: "me") == nil)
    #expect(try Netrc("machine a login b").entry(for: "c") == nil)
    #expect(try Netrc("").entry(for: "c") == nil)
  }

  @Test("an entry is credentials for any scheme, and shows no password")
  func credentials() throws {
    let entry = try #require(try Netrc("machine a login me password secret").entries.first)
    var dumped = ""
    dump(entry, to: &dumped)
    #expect(entry.credentials == .any(user: "me", password: "secret"))
    #expect("\(entry)" == "machine a login me" && !dumped.contains("secret"))
  }

  @Test("20,000 random and damaged files do not trap")
  func random() {
    var generator = SeededGenerator(seed: 47)
    let valid = Self.cases.map { Array($0.text.utf8) }.filter { !$0.isEmpty }
    for round in 0..<20_000 {
      let bytes = round.isMultiple(of: 2) ? generator.bytes(upTo: 40) : generator.mutation(of: valid[round / 2 % valid.count])
      _ = try? Netrc(bytes)
    }
  }
}
