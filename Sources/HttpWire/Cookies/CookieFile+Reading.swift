extension CookieFile {
  /// Reads a file as any program may have written it: with CR LF, without the first line, with an empty time or a fraction of one,
  /// without an empty value at the end, with a path that is none. What is no cookie is counted and left out. `now`: the time, in seconds
  /// since 1970, which the cookies take for that of their creation.
  public static func read(_ bytes: [UInt8], at now: Int64) -> Content {
    var content = Content()
    bytes.withBytes { bytes in
      let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      var number = 0
      for line in bytes[start...].split(separator: Ascii.lf, omittingEmptySubsequences: false) {
        number += 1
        do throws(LineError) {
          guard let cookie = try cookie(UnsafeRawBufferPointer(rebasing: line), now) else { continue }
          if cookie.isExpired(at: now) { content.expired += 1 } else { content.cookies.append(cookie) }
        } catch {
          content.refused += 1
          if content.problems.count < maximumProblems { content.problems.append(Problem(line: number, reason: error.reason)) }
        }
      }
    }
    return content
  }

  private struct LineError: Error {
    let reason: String
  }

  /// nil for a comment and for a line of blanks.
  private static func cookie(_ line: UnsafeRawBufferPointer, _ now: Int64) throws(LineError) -> Cookie? {
    var line = line.last == Ascii.cr ? line[piece: 0..<line.count - 1] : line
    guard !line.allSatisfy(Ascii.isBlank) else { return nil }
    let isHttpOnly = line.starts(with: UnsafeRawBufferPointer(start: httpOnly.utf8Start, count: httpOnly.utf8CodeUnitCount))
    if isHttpOnly {
      line = line[piece: httpOnly.utf8CodeUnitCount..<line.count]
    } else if line.first == UInt8(ascii: "#") {
      return nil
    }
    let fields = line.split(separator: Ascii.tab, maxSplits: 6, omittingEmptySubsequences: false).map(
      UnsafeRawBufferPointer.init(rebasing:))
    guard fields.count >= 6 else { throw LineError(reason: "it has \(fields.count) fields, not 7") }
    let cookie = Cookie(
      name: String(peer: fields[5]), value: fields.count == 7 ? String(peer: fields[6]) : "", domain: String(peer: fields[0]),
      // curl writes any other path as it came, and means the root by it.
      isHostOnly: try !flag(fields[1], "second"), path: fields[2].first == Ascii.slash ? String(peer: fields[2]) : "/",
      expires: try expiry(fields[4]), isSecure: try flag(fields[3], "fourth"), isHttpOnly: isHttpOnly, creation: now)
    do throws(CookieRefusal) {
      return try cookie.checked().cookie
    } catch {
      throw LineError(reason: error.description)
    }
  }

  private static func flag(_ field: UnsafeRawBufferPointer, _ place: String) throws(LineError) -> Bool {
    if Ascii.equals(field, "true") { return true }
    guard Ascii.equals(field, "false") else { throw LineError(reason: "its \(place) field is neither TRUE nor FALSE") }
    return false
  }

  /// nil for the end of the session.
  private static func expiry(_ field: UnsafeRawBufferPointer) throws(LineError) -> Int64? {
    let parts = field.split(separator: Ascii.dot, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ $0.allSatisfy(Ascii.isDigit) }), let whole = parts.first else {
      throw LineError(reason: "its time is no number")
    }
    // The end of the year 9999, which is as good as never.
    let seconds = whole.reduce(Int64(0)) { min($0 * 10 + Int64($1 - Ascii.zero), 253_402_300_799) }
    return seconds == 0 ? nil : seconds
  }
}
