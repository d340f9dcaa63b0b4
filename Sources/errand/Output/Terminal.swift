internal import Glibc

/// What kind of terminal there is, if any.
enum Terminal {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Columns and rows of the terminal on standard output; nil if it is none. One that does not know its size (it says 0) has the
  /// usual 80 by 24.
  static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard isTerminal(STDOUT_FILENO), ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Colours only where a person sees them and has not said no (no-color.org).
  static let hasColor = isTerminal(STDOUT_FILENO) && (Environment["NO_COLOR"] ?? "").isEmpty && Environment["TERM"] != "dumb"
}

/// The environment's variables.
enum Environment {
  static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
