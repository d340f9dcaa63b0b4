extension CookieFile {
  /// The file's bytes, with the cookies in the order given. Those whose time is over are left out, those that end with the session unless
  /// `includesSession`, and those with a tab in name, value or path, for which the format has no place.
  public static func write(_ cookies: [Cookie], includesSession: Bool, at now: Int64) -> [UInt8] {
    var file: [UInt8] = []
    // Python reads no file that begins with anything else.
    file.append(static: "# Netscape HTTP Cookie File\n# Domain, subdomains, path, secure, expires, name, value. Values may be secrets.\n\n")
    for cookie in cookies where !cookie.isExpired(at: now) && (includesSession || cookie.expires != nil) && hasPlace(for: cookie) {
      append(cookie, to: &file)
    }
    return file
  }

  private static func hasPlace(for cookie: Cookie) -> Bool {
    [cookie.name, cookie.value, cookie.path].allSatisfy { !$0.utf8.contains(Ascii.tab) }
  }

  private static func append(_ cookie: Cookie, to file: inout [UInt8]) {
    if cookie.isHttpOnly { file.append(static: httpOnly) }
    if !cookie.isHostOnly { file.append(Ascii.dot) }
    file.append(text: cookie.domain)
    file.append(static: cookie.isHostOnly ? "\tFALSE\t" : "\tTRUE\t")
    file.append(text: cookie.path)
    file.append(static: cookie.isSecure ? "\tTRUE\t" : "\tFALSE\t")
    file.append(decimal: UInt64(max(0, cookie.expires ?? 0)))
    file.append(Ascii.tab)
    file.append(text: cookie.name)
    file.append(Ascii.tab)
    file.append(text: cookie.value)
    file.append(Ascii.lf)
  }
}
