import HttpWire
import TestSupport

/// What real programs make of a body.
enum CodedFormat: String, CaseIterable, Sendable {
  case gzip, zlib, rawDeflate, brotli, zstd

  /// Its name in Content-Encoding.
  var coding: String {
    switch self {
    case .gzip: "gzip"
    case .zlib, .rawDeflate: "deflate"
    case .brotli: "br"
    case .zstd: "zstd"
    }
  }

  func encode(_ plain: [UInt8]) async throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let path = try directory.write("body.txt", plain)
    switch self {
    case .gzip: return try await output("gzip", "-9", "-c", path)
    case .zlib: return try await python("zlib.compress(data, 9)", path)
    case .rawDeflate: return try await python("zlib.compress(data, 9)[2:-4]", path)
    case .brotli: return try await output("brotli", "-c", path)
    case .zstd: return try await output("zstd", "-q", "-c", path)
    }
  }
}

/// What Python makes of the file, as `data`.
func python(_ expression: String, _ path: String) async throws -> [UInt8] {
  let program = "import gzip, struct, sys, zlib; data = open(sys.argv[1], 'rb').read(); sys.stdout.buffer.write(\(expression))"
  return try await output("python3", "-c", program, path)
}

/// What a program prints, once it has ended well.
func output(_ arguments: String...) async throws -> [UInt8] {
  let result = try await Command.run(arguments)
  guard result.status == 0 else { throw TestTimeout("\(arguments): status \(result.status): \(result.text)") }
  return result.output
}

extension SeededGenerator {
  /// Text that compresses as text does.
  mutating func text(_ count: Int) -> [UInt8] {
    let words = ["request", "tracking", "client", "the", "a", "of", "loop", "handle", "ü", "\n", "0123456789", "cancel", "{\"key\": "]
    var text: [UInt8] = []
    while text.count < count {
      text += Array(words[Int.random(in: 0..<words.count, using: &self)].utf8)
      text.append(next() % 8 == 0 ? UInt8(truncatingIfNeeded: next()) : UInt8(ascii: " "))
    }
    return Array(text.prefix(count))
  }

  /// The bytes in pieces of random lengths, some of them empty.
  mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Int.random(in: 0...Swift.min(rest.count, 700), using: &self)
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return pieces
  }
}

/// The whole body that the pieces decode to.
func decoded(
  _ pieces: [[UInt8]], _ fields: [String], limits: DecodingLimits = DecodingLimits(maxBytes: 1 << 24), budget: Int = 1 << 18
) throws(WireError) -> [UInt8] {
  var headers = HttpHeaders()
  for field in fields { headers.append("Content-Encoding", field) }
  guard let decoder = try ContentDecoder.make(contentEncoding: headers, limits: limits) else { return Array(pieces.joined()) }
  var body: [UInt8] = []
  for piece in pieces { try decoder.take(piece, into: &body, budget: budget) }
  try decoder.finish()
  return body
}

extension ContentDecoder {
  /// Decodes all of a piece.
  func take(_ piece: [UInt8], into body: inout [UInt8], budget: Int = 1 << 18) throws(WireError) {
    var offset = 0
    var progress = Progress.hasMore
    while progress == .hasMore {
      var output: [UInt8] = []
      progress = try piece.span.bytes.withUnsafeBytes { (bytes) throws(WireError) in
        try decode(bytes, at: &offset, into: &output, budget: budget)
      }
      body += output
    }
  }
}

/// How decoding ended.
func outcome(
  _ pieces: [[UInt8]], _ fields: [String], limits: DecodingLimits = DecodingLimits(maxBytes: 1 << 24), budget: Int = 1 << 18
) -> Result<[UInt8], WireError> {
  do throws(WireError) {
    return .success(try decoded(pieces, fields, limits: limits, budget: budget))
  } catch {
    return .failure(error)
  }
}

extension Result where Failure == WireError {
  /// The kind of failure, if it is one.
  var kind: WireError.Kind? { if case .failure(let error) = self { error.kind } else { nil } }
}
