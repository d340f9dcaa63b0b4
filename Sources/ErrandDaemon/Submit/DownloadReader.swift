internal import Errand
internal import HttpWire

/// Reads `download`: where the body goes instead of into an event.
enum DownloadReader {
  static let fields = ["path", "directory", "overwrite", "resume", "checksum", "decode", "max_bytes"]

  static func read(_ value: JsonValue, files: inout [SubmittedFile]) throws(Problem) -> Download {
    var (path, directory): (String?, String?)
    var download = Download(to: "")
    for member in try FieldReader.object(value, "/download", of: fields) {
      let field = "/download/" + Problem.pointerToken(member.key)
      switch member.key {
      case "path": path = try FieldReader.text(member.value, field)
      case "directory": directory = try FieldReader.text(member.value, field)
      case "overwrite": download.overwrites = try FieldReader.flag(member.value, field)
      case "resume": download.resumes = try FieldReader.flag(member.value, field)
      case "decode": download.decodes = try FieldReader.flag(member.value, field)
      case "max_bytes": download.maxBytes = try FieldReader.integer(member.value, field, 0 ... .max)
      case "checksum":
        guard let checksum = Checksum(try FieldReader.text(member.value, field)) else {
          throw .invalidValue(field, "must be an algorithm and its value in hex or base64, such as \"sha-256=9f86…\"")
        }
        download.checksum = checksum
      default: throw .unknownField(member.key, at: "/download", among: fields)
      }
    }
    switch (path, directory) {
    case (let path?, nil):
      download.target = .path(path)
      files.append(SubmittedFile(path, "/download/path"))
    case (nil, let directory?):
      download.target = .directory(directory)
      files.append(SubmittedFile(directory, "/download/directory"))
    default: throw .invalidValue("/download", "must have one of path and directory")
    }
    return download
  }
}
