/// What real programs make of a body.
public enum CodedFormat: String, CaseIterable, Sendable {
  case gzip, zlib, rawDeflate, brotli, zstd

  /// Its name in Content-Encoding.
  public var coding: String {
    switch self {
    case .gzip: "gzip"
    case .zlib, .rawDeflate: "deflate"
    case .brotli: "br"
    case .zstd: "zstd"
    }
  }

  public func encode(_ plain: [UInt8]) async throws -> [UInt8] {
    let directory = try TemporaryDirectory()
    let path = try directory.write("body.txt", plain)
    switch self {
    case .gzip: return try await output("gzip", "-9", "-n", "-c", path)
    case .zlib: return try await python("zlib.compress(data, 9)", path)
    case .rawDeflate: return try await python("zlib.compress(data, 9)[2:-4]", path)
    case .brotli: return try await output("brotli", "-q", "6", "-c", path)
    case .zstd: return try await output("zstd", "-q", "-c", path)
    }
  }
}

/// What Python makes of the file, as `data`.
public func python(_ expression: String, _ path: String) async throws -> [UInt8] {
  let program = "import gzip, struct, sys, zlib; data = open(sys.argv[1], 'rb').read(); sys.stdout.buffer.write(\(expression))"
  return try await output("python3", "-c", program, path)
}

/// What a program prints, once it has ended well.
public func output(_ arguments: String...) async throws -> [UInt8] {
  let result = try await Command.run(arguments)
  guard result.status == 0 else { throw TestTimeout("\(arguments): status \(result.status): \(result.text)") }
  return result.output
}

extension SeededGenerator {
  /// Text that compresses as text does.
  public mutating func text(_ count: Int) -> [UInt8] {
    let words = ["request", "tracking", "client", "the", "a", "of", "loop", "handle", "ü", "\n", "0123456789", "cancel", "{\"key\": "]
    var text: [UInt8] = []
    while text.count < count {
      text += Array(words[Int.random(in: 0..<words.count, using: &self)].utf8)
      text.append(next() % 8 == 0 ? UInt8(truncatingIfNeeded: next()) : UInt8(ascii: " "))
    }
    return Array(text.prefix(count))
  }

  /// The bytes in pieces of random lengths, some of them empty.
  public mutating func pieces(of bytes: [UInt8]) -> [[UInt8]] {
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
