extension HttpHeaders {
  /// What Content-Type says; nil if there is none, or it is no media type.
  public var mediaType: MediaType? { self["content-type"].flatMap(MediaType.init) }

  /// The charset of Content-Type, in lower case, as the peer names it.
  public var charset: String? { mediaType?.charset }

  /// What Content-Length says; nil if there is none, or it is not one number (RFC 9110 8.6).
  public var contentLength: Int64? {
    var length: Int64?
    var isValid = true
    forEachValue(of: "content-length") { value in
      let found = FramingFields.contentLength(value)
      isValid = found != nil && (length == nil || length == found)
      length = found
      return isValid
    }
    return isValid ? length : nil
  }

  /// Whether the body has a content coding, known or not.
  public var hasContentCoding: Bool {
    var isCoded = false
    forEachValue(of: "content-encoding") { value in
      Ascii.forEachElement(value) { element in
        isCoded = !element.isEmpty && !Ascii.equals(element, "identity") && !Ascii.equals(element, "none")
        return !isCoded
      }
      return !isCoded
    }
    return isCoded
  }

  /// Bytes that the body has once it is decoded, as far as the fields tell: Content-Length, if there is no coding of any kind.
  public var expectedLength: Int64? {
    contains("transfer-encoding") || hasContentCoding ? nil : contentLength
  }

  /// What Content-Disposition says; bytes that are not UTF-8 are read as browsers read Latin-1.
  public var contentDisposition: ContentDisposition? {
    var disposition: ContentDisposition?
    forEachValue(of: "content-disposition") { value in
      disposition = ContentDisposition(peer: value)
      return disposition == nil
    }
    return disposition
  }

  /// What Content-Range says.
  public var contentRange: ContentRange? { self["content-range"].flatMap(ContentRange.init) }

  /// A safe name for a file with the body; see `ContentDisposition.suggestedFileName`.
  public func suggestedFileName(url: HttpUrl) -> String {
    ContentDisposition.suggestedFileName(contentDisposition, url, self["content-type"])
  }
}
