/// How much of a request's body has gone out, and of its response's has come, in the exchange that is under way.
public struct RequestProgress: Sendable, Hashable {
  /// Bytes of the body that were handed to the kernel.
  public let uploaded: Int64
  /// nil for a body whose length is not known before it is sent.
  public let uploadTotal: Int64?
  /// Bytes of the body as they came, before any decoding; of a download, what is in its file, with what an earlier request left.
  public let downloaded: Int64
  /// nil if the server has not said.
  public let downloadTotal: Int64?

  public init(uploaded: Int64, uploadTotal: Int64?, downloaded: Int64, downloadTotal: Int64?) {
    self.uploaded = uploaded
    self.uploadTotal = uploadTotal
    self.downloaded = downloaded
    self.downloadTotal = downloadTotal
  }

  /// Of a request of which nothing is sent yet.
  public static let none = RequestProgress(uploaded: 0, uploadTotal: nil, downloaded: 0, downloadTotal: nil)
}
