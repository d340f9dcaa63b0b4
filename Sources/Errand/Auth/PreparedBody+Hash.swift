internal import Hashing
internal import HttpWire

/// The hash of bodies, for Digest with `auth-int` (RFC 7616 section 3.4.3).
extension PreparedBody.Content {
  /// Up to so many bytes are hashed where it must not take long.
  static let quicklyHashedBytes = 65_536

  /// nil if the body is not known before it is sent, or, unless it `mayTakeLong`, if it is large or has to be read. Blocks for a file.
  func hash(_ algorithm: HashAlgorithm, mayTakeLong: Bool) -> [UInt8]? {
    switch self {
    case .absent: algorithm.hash([])
    case .bytes(let bytes): mayTakeLong || bytes.count <= PreparedBody.Content.quicklyHashedBytes ? algorithm.hash(bytes) : nil
    case .stream, .unopened(.form): nil
    case .unopened(.file(let path, _)): mayTakeLong ? PreparedBody.Content.hash(ofFile: path, algorithm) : nil
    }
  }

  private static func hash(ofFile path: String, _ algorithm: HashAlgorithm) -> [UInt8]? {
    guard let body = try? OpenBody(file: path, contentType: nil) else { return nil }
    let stream = HashStream(algorithm)
    var cursor = SegmentCursor(body.segments)
    var piece: [UInt8] = []
    while !cursor.isAtEnd {
      guard (try? cursor.read(into: &piece)) != nil else { return nil }
      stream.update(piece)
    }
    return stream.finish()
  }
}

extension HttpRequest {
  /// Its body is known before it is sent.
  var canHashBody: Bool {
    switch body {
    case .stream?: false
    case .multipart(let parts)?: !parts.contains(where: \.needsDisk)
    case nil, .bytes?, .form?, .json?, .file?: true
    }
  }
}
