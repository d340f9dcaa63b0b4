internal import HttpWire

/// A body whose files are open and whose length is known.
struct OpenBody: Sendable {
  let segments: [BodySegment]
  let length: Int64
  /// What the form or file is, where the caller does not say.
  let contentType: String?

  init(_ segments: [BodySegment], contentType: String? = nil) {
    self.segments = segments
    length = segments.reduce(0) { $0 + $1.length }
    self.contentType = contentType
  }

  /// A file, whole, with the size that it has now. Blocks.
  init(file path: String, contentType: String?) throws(HttpClientError) {
    let file = try BodyFile.open(path)
    self.init([.file(file, length: file.size)], contentType: contentType ?? SystemMimeTypes.shared.type(forFile: path))
  }

  /// A form. Blocks.
  init(_ parts: [MultipartPart], boundary: String = OpenBody.randomBoundary()) throws(HttpClientError) {
    var files: [BodyFile] = []
    var encoded: [MultipartEncoder.Part] = []
    for part in parts {
      let content: MultipartEncoder.Segment
      switch part.content {
      case .bytes(let bytes): content = .bytes(bytes)
      case .file(let path):
        let file = try BodyFile.open(path)
        content = .file(index: files.count, length: file.size)
        files.append(file)
      }
      encoded.append(MultipartEncoder.Part(name: part.name, filename: part.filename, contentType: part.sentType, content: content))
    }
    let form: MultipartEncoder.Form
    do throws(WireError) {
      form = try MultipartEncoder.encode(encoded, boundary: boundary)
    } catch {
      throw .body(error.message)
    }
    let segments = form.segments.map { segment -> BodySegment in
      switch segment {
      case .bytes(let bytes): .bytes(bytes)
      case .file(let index, _): .file(files[index], length: files[index].size)
      }
    }
    self.init(segments, contentType: form.contentType)
  }

  /// 128 random bits: no content holds it.
  static func randomBoundary() -> String {
    let bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    return "errand-\(String(bits.0, radix: 36))-\(String(bits.1, radix: 36))"
  }
}

extension MultipartPart {
  /// For its content, or for the table of types.
  var needsDisk: Bool {
    if case .file = content { return true }
    return contentType == nil && filename != nil
  }

  /// Its Content-Type.
  fileprivate var sentType: String? {
    if let contentType { return contentType }
    guard let filename else { return nil }
    let types = SystemMimeTypes.shared
    if let type = types.type(forFile: filename) { return type }
    if case .file(let path) = content, let type = types.type(forFile: path) { return type }
    return MimeTypes.unknown
  }
}
