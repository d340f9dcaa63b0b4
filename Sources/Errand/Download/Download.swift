internal import HttpWire

/// A response's body goes to a file instead of memory.
///
/// It is written to a temporary file beside the target, flushed to the disk, checked, and renamed when it is whole: the target is never a part
/// of something. The request ends after that, with ``HttpResponse/file``; what the disk refuses is an error `file`. Statuses that are no success keep their
/// body in memory, with the limit of any other, and touch no file. The total timeout holds for a download like for any request.
public struct Download: Sendable, Hashable {
  /// Where the file goes.
  public enum Target: Sendable, Hashable {
    /// A file's path; relative to where the process is when the request is submitted.
    case path(String)
    /// A directory; the name is the server's (Content-Disposition, or the URL's last part), made safe: no path, no device, not hidden.
    case directory(String)
  }

  public var target: Target
  /// Whether a file that is there already is replaced; otherwise it is an error `file`, and stays as it is. Default nil: true for a path, false for
  /// a name by the server.
  public var overwrites: Bool?
  /// Whether what came before a failure is kept beside the target and gone on with by the next request that resumes (RFC 9110 section 14).
  /// Default false.
  ///
  /// The part is `.NAME.errand-part`. It is gone on with if it came from the same URL, with a strong ETag or a Last-Modified that the server still has;
  /// otherwise the file comes from the start. Where there is no part, but a target, that is taken as one, on the caller's word. Needs a path.
  public var resumes = false
  /// What the whole file must be, else it is an error `checksum` and is removed. Default nil: what the server says of it with `Repr-Digest` or
  /// `Digest` is checked all the same.
  public var checksum: Checksum?
  /// Whether the file is decoded by Content-Encoding. Default false: it is what the server has. One that resumes is never decoded.
  public var decodes = false
  /// Limit of the file in bytes; a longer one fails with `too_large`. Default nil: none. ``RequestOptions/maxBodyBytes`` does not limit downloads.
  public var maxBytes: Int64?

  public init(to path: String, resumes: Bool = false, checksum: Checksum? = nil) {
    target = .path(path)
    self.resumes = resumes
    self.checksum = checksum
  }

  /// The name is the server's.
  public init(directory: String, checksum: Checksum? = nil) {
    target = .directory(directory)
    self.checksum = checksum
  }
}

extension RequestOptions {
  /// Whether content codings are undone.
  var takesCodings: Bool { download.map(\.undoesCoding) ?? decodes }
}

extension Download {
  var replaces: Bool {
    if let overwrites { return overwrites }
    if case .path = target { return true }
    return false
  }

  var undoesCoding: Bool { decodes && !resumes }

  /// What is wrong with a request that has a download; nil is nothing.
  static func fault(in request: HttpRequest) -> String? {
    guard let download = request.optionBox?.value.download else { return nil }
    let path: String
    switch download.target {
    case .path(let file):
      path = file
      if path.hasSuffix("/") { return "the path of a download ends with a slash" }
    case .directory(let directory):
      path = directory
      if download.resumes { return "a download that resumes needs the path of its file" }
    }
    if path.isEmpty { return "the path of a download is empty" }
    if path.utf8.contains(0) { return "the path of a download holds a NUL" }
    if request.method == .head { return "a HEAD has nothing to download" }
    if download.resumes, (request.method ?? (request.body == nil ? .get : .post)) != .get { return "only a GET can be resumed" }
    if request.expect != .any { return "a download is not judged as JSON" }
    if let limit = download.maxBytes, limit < 0 { return "the limit of a download is negative" }
    return nil
  }
}
