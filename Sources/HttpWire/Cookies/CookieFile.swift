/// The format of `cookies.txt`, as Netscape wrote it and curl, wget and Python read and write it: a line for each cookie, of seven fields
/// with tabs between them: domain, whether hosts below it count, path, whether it is secure, when it ends (0: with the session), name,
/// value.
///
/// A line that begins with `#HttpOnly_` is a cookie with that attribute, other lines with `#` are comments. The format has no place for
/// `SameSite` and the times of creation and use.
public enum CookieFile {
  /// What was read of a file.
  public struct Content: Sendable {
    /// Those whose time is not over, in the order of the file.
    public internal(set) var cookies: [Cookie] = []
    /// Cookies left out because their time is over.
    public internal(set) var expired = 0
    /// Lines that are no cookies.
    public internal(set) var refused = 0
    /// What is wrong with the first ``CookieFile/maximumProblems`` of them.
    public internal(set) var problems: [Problem] = []
  }

  /// What is wrong with a line.
  public struct Problem: Sendable, Equatable, CustomStringConvertible {
    /// Its number, from 1.
    public let line: Int
    /// Without what it says, which may be a secret.
    public let reason: String
    /// Such as `line 3: it has 2 fields, not 7`.
    public var description: String { "line \(line): \(reason)" }
  }

  /// Lines that are told one by one.
  public static let maximumProblems = 20

  static let httpOnly: StaticString = "#HttpOnly_"
}
