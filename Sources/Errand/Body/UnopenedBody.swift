/// A body of files, which are opened when the request's turn has come: requests that wait hold no descriptors.
struct UnopenedBody: Sendable {
  enum Content: Sendable {
    case file(path: String, contentType: String?)
    case form([MultipartPart])
  }

  let content: Content
  /// Writes the request's head for a body of that type and length.
  let head: @Sendable (_ contentType: String?, _ length: Int64) throws(HttpClientError) -> [UInt8]

  /// Blocks.
  func open() throws(HttpClientError) -> (head: [UInt8], body: OpenBody) {
    let body =
      switch content {
      case .file(let path, let contentType): try OpenBody(file: path, contentType: contentType)
      case .form(let parts): try OpenBody(parts)
      }
    return (try head(body.contentType, body.length), body)
  }
}
