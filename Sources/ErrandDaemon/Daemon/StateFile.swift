import EventLoop
import Glibc

/// Small files of text that are there wholly or in their earlier state, whatever happens. Blocks: not for the loop.
enum StateFile {
  /// nil if there is none.
  static func read(_ path: String, limit: Int = 1 << 20) throws(SystemError) -> String? {
    do throws(SystemError) {
      return String(decoding: try WholeFile.read(path, limit: limit), as: UTF8.self)
    } catch {
      if error.errno == ENOENT { return nil }
      throw error
    }
  }

  /// The content of a file that a setting names; errors begin with `setting`.
  static func read(_ path: String, for setting: String, limit: Int = 1 << 20) throws(DaemonError) -> String {
    let text: String?
    do throws(SystemError) {
      text = try read(path, limit: limit)
    } catch {
      throw DaemonError("\(setting): can't read \(path): \(error.reason)")
    }
    guard let text else { throw DaemonError("\(setting): there is no file \(path)") }
    return text
  }

  static func write(_ text: String, to path: String) throws(SystemError) {
    try WholeFile.write(Array(text.utf8), to: path, isOnlyWriter: true)
  }
}
