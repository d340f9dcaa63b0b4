import HttpWire
import TestSupport
import Testing

@Suite("zstd as it is met")
struct ZstdTests {
  private static let plain = Array("a body of some length, a body of some length".utf8)

  private func skippable(_ kind: UInt8, _ count: Int) -> [UInt8] {
    [0x50 + kind, 0x2A, 0x4D, 0x18, UInt8(count), 0, 0, 0] + [UInt8](repeating: 0x55, count: count)
  }

  @Test func `frames one after another are one body, and skippable ones add nothing`() async throws {
    let frame = try await CodedFormat.zstd.encode(Self.plain)
    let coded = skippable(0, 3) + frame + skippable(15, 200) + skippable(7, 0) + frame + skippable(1, 1)
    #expect(try decoded([coded], ["zstd"]) == Self.plain + Self.plain)
    #expect(try decoded(coded.map { [$0] }, ["zstd"]) == Self.plain + Self.plain)
    #expect(try decoded([coded], ["zstd"], budget: 1) == Self.plain + Self.plain)
    #expect(outcome([coded.dropLast()], ["zstd"]).kind == .truncated)
  }

  @Test func `frames with empty content are whole`() async throws {
    let empty = try await CodedFormat.zstd.encode([])
    #expect(try decoded([empty + empty], ["zstd"]).isEmpty)
  }

  @Test func `frames of formats from before the standard are refused`() throws {
    for version in 0x22...0x27 as ClosedRange<UInt8> {
      let old = [version, 0xB5, 0x2F, 0xFD] + [UInt8](repeating: 0, count: 32)
      for pieces in [[old], old.map { [$0] }] {
        let error = #expect(throws: WireError.self) { try decoded(pieces, ["zstd"]) }
        #expect(error?.kind == .malformed)
      }
    }
  }

  @Test(arguments: [(23, true), (24, false), (27, false)])
  func `a window is 8 MiB at the most`(log: Int, isTaken: Bool) async throws {
    let directory = try TemporaryDirectory()
    let path = try directory.write("body", Self.plain)
    // From a pipe, whose length is not known, the frame announces the whole window.
    let coded = try await output("sh", "-c", "cat '\(path)' | zstd -q --ultra -3 --long=\(log) -c")
    let found = outcome([coded], ["zstd"])
    if isTaken {
      #expect(try found.get() == Self.plain)
    } else {
      let error = #expect(throws: WireError.self) { try found.get() }
      #expect(error?.kind == .tooLarge && error?.limit == "zstdWindow")
    }
  }

  @Test func `a frame with a dictionary is an error`() {
    // A frame header that names the dictionary 1, one empty last block.
    let coded: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x21, 0x01, 0x00, 0x01, 0x00, 0x00]
    #expect(outcome([coded], ["zstd"]).kind == .malformed)
  }
}
