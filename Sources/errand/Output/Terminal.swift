internal import Glibc

/// What kind of terminal there is, if any.
enum Terminal {
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Columns and rows of the terminal on standard output; nil if it is none.
  static var size: (columns: Int, rows: Int)? {
    var size = winsize()
    guard isTerminal(STDOUT_FILENO), ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
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
