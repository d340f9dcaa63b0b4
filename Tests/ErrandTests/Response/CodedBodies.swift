import EventLoop
import TestSupport

@testable import Errand

/// A response with a coded body, as a peer writes it.
struct CodedResponse: Sendable {
  let coded: [UInt8]
  var fields: String

  init(_ coded: [UInt8], _ coding: String) {
    self.coded = coded
    fields = "Content-Encoding: \(coding)\r\n"
  }

  /// What real programs make of `plain`.
  init(_ plain: [UInt8], _ format: CodedFormat = .gzip) async throws {
    self.init(try await format.encode(plain), format.coding)
  }

  /// In one piece, with Content-Length.
  var whole: [UInt8] { head(length: coded.count) + coded }

  /// Chunked, in chunks of that size.
  func chunked(_ size: Int) -> [UInt8] {
    var bytes = Array("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n".utf8)
    for start in stride(from: 0, to: coded.count, by: size) {
      let chunk = coded[start..<min(start + size, coded.count)]
      bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8)
    }
    return bytes + Array("0\r\n\r\n".utf8)
  }

  func head(length: Int) -> [UInt8] { Array("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(length)\r\n\r\n".utf8) }
}

extension RecordingDelegate {
  /// What the chunks make together.
  var body: [UInt8] {
    events.all.flatMap { event -> [UInt8] in if case .chunk(let bytes) = event.event { bytes } else { [] } }
  }
}
