/// A body of files, which are opened when the request's turn has come: requests that wait hold no descriptors.
struct UnopenedBody: Sendable {
  enum Content: Sendable {
    case file(path: String, contentType: String?)
    case form([MultipartPart])
  }

  let content: Content
  let draft: HeadDraft

  /// The request's head, and what is sent after it. Blocks.
  func open() throws(HttpClientError) -> (head: [UInt8], body: OpenBody) {
    let body =
      switch content {
      case .file(let path, let contentType): try OpenBody(file: path, contentType: contentType)
      case .form(let parts): try OpenBody(parts)
      }
    return (try draft.head(.length(body.length), contentType: body.contentType), body)
  }
}
