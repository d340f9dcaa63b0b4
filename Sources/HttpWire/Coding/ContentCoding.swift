/// A content coding that can be undone (RFC 9110 8.4.1, RFC 7932, RFC 8878).
enum ContentCoding: String {
  case gzip, deflate, brotli, zstd

  /// The codings of all Content-Encoding fields in the order in which they were applied, without `identity`.
  static func codings(of headers: HttpHeaders) throws(WireError) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    var failure: WireError?
    headers.forEachValue(of: "content-encoding") { value in
      Ascii.forEachElement(value) { element in
        do throws(WireError) {
          guard !element.isEmpty, let coding = try coding(element) else { return true }
          guard codings.count < DecodingLimits.maxCodings else {
            throw .tooLarge("maxCodings", "the body has more than \(DecodingLimits.maxCodings) content codings", status: 415)
          }
          codings.append(coding)
        } catch {
          failure = error
        }
        return failure == nil
      }
      return failure == nil
    }
    if let failure { throw failure }
    return codings
  }

  /// nil for what changes nothing.
  private static func coding(_ name: UnsafeRawBufferPointer) throws(WireError) -> ContentCoding? {
    if Ascii.equals(name, "gzip") || Ascii.equals(name, "x-gzip") { return .gzip }
    if Ascii.equals(name, "br") { return .brotli }
    if Ascii.equals(name, "zstd") { return .zstd }
    if Ascii.equals(name, "deflate") { return .deflate }
    // `none` is registered nowhere, but is what some servers send for no coding.
    if Ascii.equals(name, "identity") || Ascii.equals(name, "none") { return nil }
    throw .unsupported("the content coding \(excerpt(name)) is not supported", status: 415)
  }

  func makeStep() throws(WireError) -> any CodingStep {
    switch self {
    case .gzip: try InflateStep(.gzip)
    case .deflate: try InflateStep(.deflate)
    case .brotli: try BrotliStep()
    case .zstd: try ZstdStep()
    }
  }
}
