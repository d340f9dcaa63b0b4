public import EventLoop
public import HttpWire

/// Cookies on disk, in the format of `cookies.txt`. These calls wait for the disk: not for the event loop's thread.
extension CookieJar {
  /// The largest file that is read: room for a full jar of the longest cookies.
  public static let maximumFileBytes = 32 * 1_048_576

  /// Puts the cookies of a file into the jar, in the place of those with the same name, domain and path, and tells what was read and what
  /// was not. Throws if the file can't be read; `EFBIG` if it is larger than ``maximumFileBytes``. The jar then stays what it was.
  @discardableResult
  public func load(path: String, at now: Int64? = nil) throws(SystemError) -> CookieFile.Content {
    let now = now ?? Self.now()
    let file = CookieFile.read(try WholeFile.read(path, limit: Self.maximumFileBytes), at: now)
    for cookie in file.cookies {
      // One at a time, so that nobody waits for the lock as long as there are cookies.
      content.withLock { content in
        let hasChanged = content.state.revision != content.savedRevision
        try? content.state.set(cookie, at: now)
        if !hasChanged { content.savedRevision = content.state.revision }
      }
    }
    return file
  }

  /// Writes the cookies to a file that only its owner may read, which has the earlier or the new content whatever happens. Cookies that
  /// end with the session are left out unless `includesSession`, and so are those that the format has no place for: with a tab in name,
  /// value or path. `SameSite` and the times of creation and use have none either.
  public func save(path: String, includesSession: Bool = false, at now: Int64? = nil) throws(SystemError) {
    let now = now ?? Self.now()
    let state = content.withLock { $0.state }
    try WholeFile.write(CookieFile.write(state.all(at: now), includesSession: includesSession, at: now), to: path)
    content.withLock { $0.savedRevision = max($0.savedRevision, state.revision) }
  }
}
