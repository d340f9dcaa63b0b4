internal import EventLoop
internal import FoundationEssentials

/// Reads a configuration from JSON5.
public enum ConfigurationFile {
  /// Blocks: not for the loop. Throws with the file's name, and the setting and line where it can tell.
  public static func load(_ path: String) throws(DaemonError) -> DaemonConfiguration {
    let text: String?
    do throws(SystemError) {
      text = try StateFile.read(path)
    } catch {
      throw DaemonError("can't read the configuration \(path): \(error.reason)")
    }
    guard let text else { throw DaemonError("there is no configuration \(path)") }
    return try parse(text, name: path)
  }

  /// `name` is what messages call the text.
  public static func parse(_ text: String, name: String) throws(DaemonError) -> DaemonConfiguration {
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      return try decoder.decode(DaemonConfiguration.self, from: Data(text.utf8))
    } catch let error as DecodingError {
      throw DaemonError(describe(error, text, name))
    } catch {
      throw DaemonError("\(name): \(error)")
    }
  }

  private static func describe(_ error: DecodingError, _ text: String, _ name: String) -> String {
    let context: DecodingError.Context
    let message: String
    switch error {
    case .typeMismatch(let type, let found):
      context = found
      message = "must be \(words(for: type))"
    case .valueNotFound(let type, let found):
      context = found
      message = "must be \(words(for: type)), not null"
    case .keyNotFound(let key, let found):
      context = found
      message = "\(key.stringValue) is missing"
    case .dataCorrupted(let found) where found.codingPath.isEmpty:
      guard let fault = Json5Fault.find(in: text) else { return "\(name): \(found.debugDescription)" }
      return "\(name):\(fault.line):\(fault.column): not JSON5: \(fault.message)"
    case .dataCorrupted(let found):
      context = found
      message = found.debugDescription
    @unknown default: return "\(name): \(error)"
    }
    let places = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
    let path = places.joined(separator: "").drop { $0 == "." }
    let line = line(of: context.codingPath, in: text).map { ":\($0)" } ?? ""
    return "\(name)\(line): \(path.isEmpty ? "" : "\(path) ")\(message)"
  }

  private static func words(for type: Any.Type) -> String {
    switch type {
    case is Int.Type: "a whole number"
    case is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is String.Type: "a string"
    case is [String].Type, is [Any].Type: "an array"
    default: "\(type)".contains("Array") ? "an array" : "an object"
    }
  }

  /// The line, from 1, on which the last key of a path stands; nil where keys of that name make it unclear.
  static func line(of path: [any CodingKey], in text: String) -> Int? {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(stripped)[...]
    var number: Int?
    for key in path where key.intValue == nil {
      guard let index = lines.firstIndex(where: { begins($0, with: key.stringValue) }) else { return nil }
      number = index + 1
      lines = lines[index...]
    }
    return number
  }

  private static func stripped(_ line: Substring) -> Substring {
    let line = line.drop { $0 == " " || $0 == "\t" }
    return line.hasPrefix("//") ? "" : line
  }

  private static func begins(_ line: Substring, with key: String) -> Bool {
    // A section may be written on one line with its keys.
    for form in ["\(key):", "\"\(key)\":", "'\(key)':", "\(key) :", "\"\(key)\" :"] {
      if line.hasPrefix(form) || line.contains(" \(form)") || line.contains("{\(form)") { return true }
    }
    return false
  }
}
