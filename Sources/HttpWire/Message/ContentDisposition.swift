/// What a response says of how it is to be kept (RFC 6266), read as leniently as servers write it.
public struct ContentDisposition: Sendable, Equatable {
  /// In lower case: `attachment`, `inline`, `form-data`, or another token. What has no type is `attachment`, as what has an unknown one is to be
  /// handled (4.2).
  public let type: String
  /// The name as the peer gave it, decoded: a path or worse, perhaps. From `filename*` (RFC 8187) if that is valid, else from `filename`. nil if there
  /// is none.
  public let fileName: String?

  /// nil if there is neither type nor parameter.
  public init?(_ text: String) {
    guard let read = text.withBytes(ContentDisposition.init(peer:)) else { return nil }
    self = read
  }

  init?(peer bytes: UnsafeRawBufferPointer) {
    var end = bytes.firstIndex(of: Ascii.semicolon) ?? bytes.count
    var first = Ascii.trimmed(bytes[piece: 0..<end])
    if first.contains(Ascii.equals) {
      first = bytes[piece: 0..<0]
      end = -1
    }
    let parameters = end < bytes.count ? FieldParameter.parameters(in: bytes[piece: end + 1..<bytes.count]) : []
    guard !first.isEmpty || !parameters.isEmpty else { return nil }
    type = first.isEmpty || !first.allSatisfy(Ascii.isToken) ? "attachment" : String(peer: first).lowercased()
    let extended = parameters.lazy.filter { $0.name == "filename*" }.compactMap { ExtendedValue.decode($0.value) }.first
    let plain = parameters.lazy.filter { $0.name == "filename" }.map { EncodedWords.decode(Self.text($0.value)) }.first
    let name = extended ?? plain
    fileName = name?.isEmpty == false ? name : nil
  }

  /// Not to be shown in the page or window where it was asked for.
  public var isAttachment: Bool { type != "inline" }

  /// The name as a file may have it; nil if there is none, or nothing is left of it. See `SafeFileName`.
  public var safeFileName: String? { fileName.flatMap(SafeFileName.make) }

  /// UTF-8, or what browsers take for Latin-1 where it is none.
  private static func text(_ bytes: [UInt8]) -> String {
    String(validating: bytes, as: UTF8.self) ?? bytes.withBytes { TextDecoding.decode($0, label: "latin1")?.text } ?? ""
  }
}

extension ContentDisposition {
  /// A safe name for a file with the response's body: from the field Content-Disposition, else from the last part of the URL's path, percent-decoded,
  /// else `download`, with an extension that fits Content-Type.
  public static func suggestedFileName(contentDisposition: String?, url: HttpUrl, contentType: String?) -> String {
    suggestedFileName(contentDisposition.flatMap(ContentDisposition.init), url, contentType)
  }

  static func suggestedFileName(_ disposition: ContentDisposition?, _ url: HttpUrl, _ contentType: String?) -> String {
    if let name = disposition?.safeFileName { return name }
    let path = url.target.prefix { $0 != "?" }
    if let last = path.split(separator: "/", omittingEmptySubsequences: false).last,
      let name = SafeFileName.make(String(decoding: PercentCoding.decode(last.utf8), as: UTF8.self))
    {
      return name
    }
    guard let known = contentType.flatMap(MediaType.init)?.preferredExtension else { return "download" }
    return "download.\(known)"
  }
}
