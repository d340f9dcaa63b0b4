/// The file that a response's body was written to.
public struct DownloadedFile: Sendable, Hashable {
  /// Absolute.
  public let path: String
  /// Bytes of the whole file.
  public let byteCount: Int64
  /// How many of them were there before, from an earlier request.
  public let resumedFrom: Int64
}
