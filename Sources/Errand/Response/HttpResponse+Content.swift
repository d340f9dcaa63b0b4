public import HttpWire

/// What the body is.
extension HttpResponse {
  /// The body came with content codings (RFC 9110 section 8.4), which were undone. `headers` still name them, and their Content-Length is
  /// ``encodedByteCount``.
  public var wasDecoded: Bool { encodedByteCount != nil }

  /// The body as text: by its byte order mark, by the charset of Content-Type under any label of the WHATWG Encoding standard, else as UTF-8.
  /// What is no text of the encoding is U+FFFD.
  public var text: String { TextDecoding.decode(body, contentType: headers["Content-Type"]).text }

  /// By which encoding ``text`` reads, in lower case, such as `utf-8` or `shift_jis`.
  public var textEncoding: String { TextDecoding.encoding(of: body, contentType: headers["Content-Type"]) }

  /// What Content-Type says; nil if there is none, or it is no media type.
  public var contentType: MediaType? { headers.mediaType }

  /// Bytes that the headers announce of the body as it is read here; nil where they do not tell: chunked, with content codings, or read to the
  /// connection's end. After HEAD, what GET would have.
  public var expectedLength: Int64? { headers.expectedLength }

  /// A name for a file with the body that can do no harm: from Content-Disposition, else from the path of the URL that answered, else `download`.
  /// `url` is the one that was asked; where redirects were followed, the last of them counts.
  public func suggestedFileName(for url: String) -> String {
    if let url = try? HttpUrl(self.url ?? url) { return headers.suggestedFileName(url: url) }
    return headers.contentDisposition?.safeFileName ?? "download"
  }
}
