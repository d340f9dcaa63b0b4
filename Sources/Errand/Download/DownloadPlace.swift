internal import Glibc

/// Where a download's files are.
struct DownloadPlace: Sendable, Hashable {
  /// Absolute, without a slash at its end.
  let directory: String
  let name: String

  var target: String { "\(directory)/\(name)" }
  /// What is kept of a download that failed.
  var part: String { "\(directory)/.\(shortName).errand-part" }
  var record: String { part + ".info" }

  /// A name that nobody else takes.
  func temporary(_ random: UInt64 = .random(in: 0 ... .max)) -> String {
    "\(directory)/.\(shortName).errand-\(String(random, radix: 36))"
  }

  /// Leaves room for what is put around it: names have 255 bytes at the most.
  private var shortName: String {
    guard name.utf8.count > 220 else { return name }
    var short = name
    while short.utf8.count > 220 { short.removeLast() }
    return short
  }
}

extension DownloadPlace {
  /// A file's path; a relative one begins where the process is now.
  init(path: String) {
    let path = DownloadPlace.absolute(path)
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    directory = String(path[..<slash])
    name = String(path[slash...].dropFirst())
  }

  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let here = getcwd(nil, 0) else { return "./" + path }
    defer { free(here) }
    return "\(String(cString: here))/\(path)"
  }
}

extension Download {
  /// With a path that means the same wherever the process goes.
  var settled: Download {
    var settled = self
    switch target {
    case .path(let path): settled.target = .path(DownloadPlace.absolute(path))
    case .directory(var path):
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      settled.target = .directory(DownloadPlace.absolute(path))
    }
    return settled
  }

  /// Where it goes; nil while the server has not said.
  func place(named name: String? = nil) -> DownloadPlace? {
    switch target {
    case .path(let path): DownloadPlace(path: path)
    case .directory(let directory): name.map { DownloadPlace(directory: directory == "/" ? "" : directory, name: $0) }
    }
  }
}
