/// Which files requests may name.
struct FilePolicy: Sendable {
  /// Absolute paths; a file is allowed below one of them.
  var directories: [String] = []

  /// Looks at the path alone. What links in the directories lead to is for who may write there.
  func check(_ files: [SubmittedFile], of owner: Owner, _ ownOwner: Owner) throws(Problem) {
    for file in files {
      guard owner.isRoot || owner == ownOwner else {
        throw .forbidden("only the user who runs the daemon may have it read and write files", field: file.field)
      }
      guard file.path.utf8.first == UInt8(ascii: "/") else { throw .invalidValue(file.field, "must be an absolute path") }
      let parts = file.path.split(separator: "/", omittingEmptySubsequences: true)
      guard !parts.contains("..") else { throw .invalidValue(file.field, "must be a path without ..") }
      guard directories.contains(where: { FilePolicy.isBelow(parts, $0) }) else {
        let known = directories.isEmpty ? "which is empty" : "which has: " + directories.joined(separator: ", ")
        throw .forbidden("the path is not below a directory of the setting client.file_directories, \(known)", field: file.field)
      }
    }
  }

  private static func isBelow(_ parts: [Substring], _ directory: String) -> Bool {
    parts.filter { $0 != "." }.starts(with: directory.split(separator: "/").filter { $0 != "." })
  }
}
