/// The logins of a `.netrc` file, read as curl reads it. Reading the file itself is the caller's.
///
/// Words stand between blanks and line ends; one in double quotes may hold blanks, with `\n`, `\r`, `\t` and `\` before any other character as
/// escapes. Keywords count in any case. A `#` where a keyword could stand begins a comment to the end of the line. A `macdef` goes to the next empty line
/// and is passed over.
public struct Netrc: Sendable, Equatable {
  /// A `machine`, or `default`. Shows no password in descriptions and dumps.
  public struct Entry: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Lower case; nil for `default`.
    public internal(set) var host: String?
    public internal(set) var login: String?
    public internal(set) var password: String?
    public internal(set) var account: String?

    /// For a challenge of any scheme; what is missing is empty.
    public var credentials: HttpCredentials { .any(user: login ?? "", password: password ?? "") }

    public var description: String { "\(host.map { "machine \($0)" } ?? "default")\(login.map { " login \($0)" } ?? "")" }
    public var customMirror: Mirror { Mirror(self, children: [("entry", description)]) }
  }

  /// In the order of the file.
  public let entries: [Entry]

  /// The largest file that is read, in bytes.
  public static let maximumBytes = 1 << 20

  /// Throws `invalid` with the number of the line for a word that is no keyword, a keyword without its value, a login outside of an entry, and a quote
  /// that is not closed; `too_large` over 1 MiB. The words hold nothing of the file.
  public init(_ bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Self.maximumBytes else {
      throw .tooLarge("netrcBytes", "the netrc file is longer than \(Self.maximumBytes) bytes", status: 400)
    }
    entries = try bytes.withBytes { (bytes) throws(WireError) in try NetrcParser.entries(bytes) }
  }

  /// The same, from text.
  public init(_ text: String) throws(WireError) { try self.init(Array(text.utf8)) }

  /// The first entry for that host, or else `default`; with `login`, the first that has this login or none.
  public func entry(for host: String, login: String? = nil) -> Entry? {
    let host = host.lowercased()
    let fitting = entries.filter { login == nil || $0.login == nil || $0.login == login }
    var found = fitting.first { $0.host == host } ?? fitting.first { $0.host == nil }
    if found?.login == nil { found?.login = login }
    return found
  }
}
